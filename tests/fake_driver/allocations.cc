#include "tests/fake_driver/allocations.h"

#include <dlfcn.h>
#include <execinfo.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<bool> watching{false};
std::atomic<std::size_t> allocations{0};  // while watching
std::atomic<std::size_t> fails_at{0};     // the number of the allocation that fails; 0: none does

bool InFakeDriver() {
  void* frames[24];
  const int count = backtrace(frames, 24);
  for (int i = 0; i < count; ++i) {
    Dl_info info;
    if (dladdr(frames[i], &info) != 0 && std::strstr(info.dli_fname, "libcuda.so") != nullptr) return true;
  }
  return false;
}

void* Allocate(std::size_t size) {
  if (watching && !InFakeDriver()) {
    const std::size_t number = ++allocations;
    if (number == fails_at) throw std::bad_alloc();
  }
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return Allocate(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace gemm::fake {

Watch::Watch(std::size_t fail_at) {
  allocations = 0;
  fails_at = fail_at;
  watching = true;
}
Watch::~Watch() { watching = false; }

std::size_t Allocations() { return allocations; }

}  // namespace gemm::fake
