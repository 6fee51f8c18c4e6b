// Runs one kernel of a PTX text on the emulated GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "tools/emulator/base/finding.h"
#include "tools/emulator/exec/profile.h"
#include "tools/emulator/exec/warp.h"

namespace emu::testing {

// A kernel's parameter: a value, or a buffer in device memory, of which the kernel gets the address.
struct Argument {
  bool buffer = false;
  std::vector<std::byte> bytes;  // the value; the buffer's first content
};

template <class T>
Argument Value(const T& value) {
  Argument argument{false, std::vector<std::byte>(sizeof(T))};
  std::memcpy(argument.bytes.data(), &value, sizeof(T));
  return argument;
}
template <class T>
Argument Buffer(const std::vector<T>& content) {
  Argument argument{true, std::vector<std::byte>(content.size() * sizeof(T))};
  std::memcpy(argument.bytes.data(), content.data(), argument.bytes.size());
  return argument;
}

struct PtxLaunch {
  Dim3 blocks{1, 1, 1}, threads{32, 1, 1}, cluster{1, 1, 1};
  std::uint32_t dynamic_shared = 0;
  std::vector<Argument> arguments;  // one per kernel parameter
  std::uint64_t seed = 0;
  bool cooperative = false;
  DeviceLimits limits;  // of an H100
};

struct PtxResult {
  std::optional<Finding> finding;               // what stopped the kernel; a syntax error is kUnsupported
  std::vector<std::vector<std::byte>> buffers;  // content afterwards, by argument (empty for values)

  bool ok() const { return !finding; }
  // "" or what ToString(Finding) says
  std::string message() const { return finding ? ToString(*finding) : std::string(); }
  template <class T>
  std::vector<T> Buffer(std::size_t argument) const {
    std::vector<T> values(buffers[argument].size() / sizeof(T));
    std::memcpy(values.data(), buffers[argument].data(), values.size() * sizeof(T));
    return values;
  }
};

// `kernel` may be empty when the text has one.
PtxResult RunPtx(const std::string& text, const std::string& kernel, const PtxLaunch& launch);

// A module around a kernel's body: the header of PTX ISA 9.0 for `target`, and
// ".visible .entry kernel(<params>) {<body>}".
std::string PtxModule(const std::string& params, const std::string& body, const std::string& target = "sm_90a");

}  // namespace emu::testing
