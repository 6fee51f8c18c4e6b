// The functions with the suffix _ptsz or _ptds, whose null stream is the calling thread's own.
#pragma once

#include <cstddef>
#include <tuple>

#include "tools/emulator/driver/queue.h"

namespace emu::driver {

template <auto Function>
struct PerThread;

template <class... Parameters, CUresult (*Function)(Parameters...)>
struct PerThread<Function> {
  template <std::size_t index>
  using Parameter = std::tuple_element_t<index, std::tuple<Parameters...>>;

  static CUresult Call(Parameters... parameters) {
    NullIsPerThread() = true;
    const CUresult result = Function(parameters...);
    NullIsPerThread() = false;
    return result;
  }
};

}  // namespace emu::driver
