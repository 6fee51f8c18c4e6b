#include "tools/nvml/nvml.h"

#include <dlfcn.h>

#include <cstdio>

#include "common/driver/driver.h"

namespace gemm::nvml {
namespace {

// NVML's C ABI as far as it is used here (NVML API reference). All functions return 0 on success.
struct Functions {
  int (*init)() = nullptr;
  int (*handle_by_pci)(const char*, void**) = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*clock)(void*, unsigned type, unsigned* mhz) = nullptr;
  int (*power)(void*, unsigned* milliwatts) = nullptr;
  int (*power_limit)(void*, unsigned* milliwatts) = nullptr;
  int (*energy)(void*, unsigned long long* millijoules) = nullptr;
  int (*temperature)(void*, unsigned sensor, unsigned* celsius) = nullptr;
};

constexpr unsigned kClockSm = 1;
constexpr unsigned kClockMemory = 2;
constexpr unsigned kSensorGpu = 0;

bool LoadFunctions(Functions* functions) {
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return false;
  const auto find = [library](const char* name, auto* pointer) {
    *pointer = reinterpret_cast<std::remove_pointer_t<decltype(pointer)>>(::dlsym(library, name));
  };
  find("nvmlInit_v2", &functions->init);
  find("nvmlDeviceGetHandleByPciBusId_v2", &functions->handle_by_pci);
  find("nvmlSystemGetDriverVersion", &functions->driver_version);
  find("nvmlDeviceGetClockInfo", &functions->clock);
  find("nvmlDeviceGetPowerUsage", &functions->power);
  find("nvmlDeviceGetEnforcedPowerLimit", &functions->power_limit);
  find("nvmlDeviceGetTotalEnergyConsumption", &functions->energy);
  find("nvmlDeviceGetTemperature", &functions->temperature);
  return functions->init != nullptr && functions->handle_by_pci != nullptr && functions->init() == 0;
}

// Null when NVML is not there. Loaded once.
const Functions* Nvml() {
  static Functions functions;
  static const bool loaded = LoadFunctions(&functions);
  return loaded ? &functions : nullptr;
}

// Calls a reading function, if there is one, and scales its result.
template <typename Value, typename Function, typename... Arguments>
std::optional<double> Read(void* device, double scale, Function function, Arguments... arguments) {
  Value value = 0;
  if (device == nullptr || function == nullptr || function(device, arguments..., &value) != 0)
    return std::nullopt;
  return scale * static_cast<double>(value);
}

}  // namespace

Status Gpu::Open(int ordinal, Gpu* gpu) {
  const Functions* nvml = Nvml();
  if (nvml == nullptr) {
    return Status(StatusCode::kUnsupported,
                  "libnvidia-ml.so.1 is not here or does not start: clocks and power are not read");
  }
  int domain = 0;
  int bus = 0;
  int slot = 0;
  Status status = driver::DeviceAttribute(ordinal, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, &domain);
  if (status.ok()) status = driver::DeviceAttribute(ordinal, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, &bus);
  if (status.ok()) status = driver::DeviceAttribute(ordinal, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, &slot);
  if (!status.ok()) return status;
  char address[32];
  std::snprintf(address, sizeof address, "%08x:%02x:%02x.0", domain, bus, slot);
  if (nvml->handle_by_pci(address, &gpu->device_) == 0) return Status();
  gpu->device_ = nullptr;
  return Status(StatusCode::kUnsupported, std::string("NVML knows no GPU at ") + address);
}

std::string Gpu::DriverVersion() const {
  char text[96] = {};
  if (device_ == nullptr || Nvml()->driver_version == nullptr) return "";
  return Nvml()->driver_version(text, sizeof text) == 0 ? text : "";
}

std::optional<double> Gpu::SmClockMhz() const {
  if (device_ == nullptr) return std::nullopt;
  return Read<unsigned>(device_, 1, Nvml()->clock, kClockSm);
}

std::optional<double> Gpu::MemoryClockMhz() const {
  if (device_ == nullptr) return std::nullopt;
  return Read<unsigned>(device_, 1, Nvml()->clock, kClockMemory);
}

std::optional<double> Gpu::PowerWatts() const {
  if (device_ == nullptr) return std::nullopt;
  return Read<unsigned>(device_, 1e-3, Nvml()->power);
}

std::optional<double> Gpu::PowerLimitWatts() const {
  if (device_ == nullptr) return std::nullopt;
  return Read<unsigned>(device_, 1e-3, Nvml()->power_limit);
}

std::optional<double> Gpu::EnergyJoules() const {
  if (device_ == nullptr) return std::nullopt;
  return Read<unsigned long long>(device_, 1e-3, Nvml()->energy);
}

std::optional<double> Gpu::TemperatureCelsius() const {
  if (device_ == nullptr) return std::nullopt;
  return Read<unsigned>(device_, 1, Nvml()->temperature, kSensorGpu);
}

}  // namespace gemm::nvml
