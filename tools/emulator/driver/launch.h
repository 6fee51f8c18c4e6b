// Launches as they are asked for, checked.
#pragma once

#include "tools/emulator/driver/code.h"

namespace emu::driver {

// What cuLaunchKernel and cuLaunchKernelEx are given.
struct LaunchArguments {
  CUfunction function = nullptr;
  Dim3 blocks{1, 1, 1}, threads{1, 1, 1};
  unsigned dynamic_shared = 0;
  bool cooperative = false;
  const CUlaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
};

// Checks everything that the driver checks before a launch, and copies the parameters.
CUresult MakeCall(Context& context, const LaunchArguments& arguments, std::shared_ptr<const KernelCall>* call);

// Function attributes that launches and occupancy need.
int RegistersOf(const Program& program, const DeviceLimits& limits);
int MaxThreadsOf(const Program& program, const DeviceLimits& limits);
// The most dynamic shared memory that the settings allow.
std::uint32_t DynamicSharedLimit(const Function& function);
// CUDA_ERROR_INVALID_VALUE for what cannot be asked or set, or a value that is not allowed.
CUresult GetFunctionAttribute(const Program& program, const KernelSettings& settings, const Code& code,
                              const Device& device, CUfunction_attribute attribute, int* value);
CUresult SetFunctionAttribute(KernelSettings& settings, std::uint32_t static_shared, const Device& device,
                              CUfunction_attribute attribute, int value);

// Blocks of so many threads and so much dynamic shared memory that fit on an SM together.
int BlocksPerSm(const Program& program, const DeviceLimits& limits, std::uint32_t threads,
                std::size_t dynamic_shared);

// Dimensions of the cluster that the attributes ask for; 0, 0, 0 when they do not.
Dim3 ClusterOf(const CUlaunchAttribute* attributes, unsigned count);

}  // namespace emu::driver
