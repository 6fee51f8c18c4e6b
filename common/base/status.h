// Building status sentences.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "gemm/status.h"

namespace gemm::base {

namespace internal {
inline void Append(std::string* out, std::string_view text) { out->append(text); }
inline void Append(std::string* out, char c) { out->push_back(c); }
template <typename T>
requires(std::is_integral_v<T> && !std::is_same_v<T, char>) void Append(std::string* out, T value) {
  out->append(std::to_string(value));
}
}  // namespace internal

// Its arguments one after the other: strings, characters, integers (bool as 0 or 1). Allocates; may throw
// std::bad_alloc, which the public functions turn into kOutOfMemory. Not inlined: GCC 12 would take a sentence of one long literal for
// one that lies within the string object, and warn of bytes beyond it (-Warray-bounds).
template <typename... Parts>
[[gnu::noinline]] std::string Concat(const Parts&... parts) {
  std::string out;
  (internal::Append(&out, parts), ...);
  return out;
}

template <typename... Parts>
Status Error(StatusCode code, const Parts&... parts) {
  return Status(code, Concat(parts...));
}
template <typename... Parts>
Status InvalidArgument(const Parts&... parts) {
  return Error(StatusCode::kInvalidArgument, parts...);
}
template <typename... Parts>
Status Unsupported(const Parts&... parts) {
  return Error(StatusCode::kUnsupported, parts...);
}

// The status of a call that ran out of host memory; short enough to need no allocation.
inline Status HostMemoryExhausted() noexcept { return Status(StatusCode::kOutOfMemory, "no host memory"); }

}  // namespace gemm::base
