// What NVIDIA's management library says of a GPU while it works, loaded at run time. No NVIDIA header is needed
// to build.
#pragma once

#include <optional>
#include <string>

#include "gemm/status.h"

namespace gemm::nvml {

// One GPU. Every reading is nullopt when the library is not there or the GPU does not report it. Not
// thread-safe.
class Gpu {
 public:
  Gpu() = default;

  // Opens libnvidia-ml.so.1 and finds the GPU of the driver's device `ordinal` by its PCI address (NVML counts
  // all GPUs, the driver those that CUDA_VISIBLE_DEVICES leaves). On failure the object reads nothing. The
  // library stays loaded.
  static Status Open(int ordinal, Gpu* gpu);

  bool available() const { return device_ != nullptr; }
  std::string DriverVersion() const;         // "580.159.04"; empty when unknown
  std::optional<double> SmClockMhz() const;  // now
  std::optional<double> MemoryClockMhz() const;
  std::optional<double> PowerWatts() const;       // averaged over up to a second by newer drivers
  std::optional<double> PowerLimitWatts() const;  // as enforced
  std::optional<double> EnergyJoules()
      const;  // since the driver was loaded; advances in steps of tens of milliseconds
  std::optional<double> TemperatureCelsius() const;

 private:
  void* device_ = nullptr;
};

}  // namespace gemm::nvml
