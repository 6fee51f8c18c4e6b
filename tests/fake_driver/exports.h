// The functions by which tests steer libcuda.so.1, with C linkage; FakeDriver calls them.
#pragma once

#include <cstddef>

#include "tests/fake_driver/fake_driver.h"

#define GEMM_FAKE_EXPORTS(X)                                                    \
  X(int, gemm_fake_set, (const char* name, const char* value))                  \
  X(std::size_t, gemm_fake_launch_count, (void))                                \
  X(const gemm::fake::Launch*, gemm_fake_launch, (std::size_t index))           \
  X(void, gemm_fake_observe, (gemm::fake::LaunchObserver observer, void* user)) \
  X(std::size_t, gemm_fake_graph_launch_count, (void))                          \
  X(std::size_t, gemm_fake_calls, (const char* function))                       \
  X(std::size_t, gemm_fake_alive, (const char* kind))                           \
  X(std::size_t, gemm_fake_context_depth, (void))
