// gemm devices: what the driver has.
#include <fmt/core.h>

#include "common/dispatch/device.h"
#include "common/dispatch/explain.h"
#include "common/dispatch/query.h"
#include "common/driver/driver.h"
#include "tools/gemm/commands.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/flags.h"
#include "tools/gpu/gpu.h"

namespace gemm::tool {
namespace {

int Devices() {
  int count = 0;
  Status status = driver::DeviceCount(&count);
  if (!status.ok()) return Fail(status);
  int version = 0;
  status = gpu::DriverVersion(&version);
  if (!status.ok()) return Fail(status);
  fmt::print("driver supports CUDA {}.{}\n", version / 1000, version % 1000 / 10);
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    dispatch::Device device;
    status = dispatch::QueryDevice(ordinal, &device);
    if (!status.ok()) return Fail(status);
    fmt::print("device {}: {}\n", ordinal, dispatch::ToString(device));
  }
  return kOk;
}

}  // namespace

void AddDevicesCommand(CLI::App* app, Command* command) {
  Subcommand sub(app, "devices", "list the GPUs of this machine");
  sub.Footer("Profiles for 'gemm explain --device': " + dispatch::KnownDeviceNames());
  sub.Runs(command, Devices);
}

}  // namespace gemm::tool
