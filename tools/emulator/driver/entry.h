// How a function of the API begins and ends.
#pragma once

#include <mutex>
#include <new>

#include "tools/emulator/driver/state.h"

namespace emu::driver {

std::recursive_mutex& Mutex();

// What stands against any call now: deinitialised, not initialised, or inside a host function, from which the API must not be
// called. CUDA_SUCCESS when nothing does. The lock must be held.
CUresult WhyNotNow();
// The current context, or why there is none that work can be given to.
CUresult UsableContext(Context** context);
// The lowest error of emulator code that escaped: never lets an exception cross the ABI.
CUresult FromException();

// Set while a host function runs on this thread.
bool& InHostFunction();

// Runs body() -> CUresult with the lock, after cuInit.
template <class Body>
CUresult Locked(Body&& body) {
  std::lock_guard lock(Mutex());
  try {
    if (const CUresult why = WhyNotNow(); why != CUDA_SUCCESS) return why;
    return body();
  } catch (...) {
    return FromException();
  }
}

// Runs body(Context&) -> CUresult with the lock and the calling thread's context, which is without error.
template <class Body>
CUresult InContext(Body&& body) {
  return Locked([&]() -> CUresult {
    Context* context = nullptr;
    if (const CUresult why = UsableContext(&context); why != CUDA_SUCCESS) return why;
    return body(*context);
  });
}

}  // namespace emu::driver
