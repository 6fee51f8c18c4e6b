// cuInit and the devices.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tools/emulator/driver/entry.h"

namespace emu::driver {
namespace {

constexpr int kDriverVersion = 13000;

void MakeDevices(State& state) {
  std::uint64_t bytes = 0;
  for (int i = 0; i < state.settings.devices; ++i) bytes += state.settings.profile.memory_bytes;
  // Host memory that kernels may use comes from here too; what a device has is checked by its own account.
  state.memory = std::make_unique<DeviceMemory>(2 * bytes);
  for (int i = 0; i < state.settings.devices; ++i) {
    auto device = std::make_unique<Device>();
    device->ordinal = i;
    device->profile = &state.settings.profile;
    device->machine =
        std::make_unique<Machine>(device->profile->limits, state.memory.get(), state.settings.seed);
    device->default_pool = std::make_unique<MemoryPool>();
    device->default_pool->device = device.get();
    device->pool = device->default_pool.get();
    state.devices.push_back(std::move(device));
  }
}

}  // namespace

Device* FindDevice(CUdevice handle) {
  const auto& devices = GetState().devices;
  return handle >= 0 && handle < static_cast<int>(devices.size()) ? devices[handle].get() : nullptr;
}

}  // namespace emu::driver

using namespace emu;
using namespace emu::driver;

CUresult cuInit(unsigned flags) {
  std::lock_guard lock(Mutex());
  const CUresult why = WhyNotNow();
  if (why != CUDA_ERROR_NOT_INITIALIZED && why != CUDA_SUCCESS) return why;
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  State& state = GetState();
  if (state.initialized) return CUDA_SUCCESS;
  try {
    std::string reason;
    if (!ReadSettings(&state.settings, &reason)) {
      std::fprintf(stderr, "emulator: %s\n", reason.c_str());
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (state.settings.devices == 0) return CUDA_ERROR_NO_DEVICE;
    MakeDevices(state);
  } catch (...) {
    return FromException();
  }
  state.random = Random(state.settings.seed);
  state.initialized = true;
  return CUDA_SUCCESS;
}

// All choices from now on are those of a new process with this GPU_EMULATOR_SEED. False before cuInit. Who calls it has
// waited for all work.
extern "C" __attribute__((visibility("default"))) bool emulator_restart(std::uint64_t seed) {
  std::lock_guard lock(Mutex());
  State& state = GetState();
  if (!state.initialized) return false;
  state.settings.seed = seed;
  state.random = Random(seed);
  for (const auto& device : state.devices) {
    device->machine->Restart(seed);
    for (Context* context : ContextsOf(*device)) context->launches = 0;
  }
  return true;
}

CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = kDriverVersion;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  return Locked([&] {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<int>(GetState().devices.size());
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return Locked([&] {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (FindDevice(ordinal) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

namespace {

// body(const Device&) for a valid handle and a place for the answer.
template <class Body>
CUresult WithDevice(CUdevice handle, const void* out, Body&& body) {
  return Locked([&]() -> CUresult {
    Device* const device = FindDevice(handle);
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    return body(*device);
  });
}

std::string BusId(const Device& device) { return fmt::format("0000:{:02X}:00.0", device.ordinal + 1); }

}  // namespace

CUresult cuDeviceGetName(char* name, int size, CUdevice handle) {
  return WithDevice(handle, name, [&](const Device& device) {
    if (size <= 0) return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(name, static_cast<std::size_t>(size), "%s", device.profile->name);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice handle) {
  return WithDevice(handle, uuid, [&](const Device& device) {
    std::memset(uuid->bytes, 0, sizeof(uuid->bytes));
    std::strncpy(uuid->bytes, "emulated", sizeof(uuid->bytes));
    uuid->bytes[15] = static_cast<char>(device.ordinal);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice handle) { return cuDeviceGetUuid_v2(uuid, handle); }

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice handle) {
  return WithDevice(handle, bytes, [&](const Device& device) {
    *bytes = device.profile->memory_bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice handle) {
  return WithDevice(handle, value, [&](const Device& device) {
    return DeviceAttribute(*device.profile, device.ordinal, attribute, value) ? CUDA_SUCCESS
                                                                              : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice handle) {
  return WithDevice(handle, major, [&](const Device& device) {
    if (minor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *major = device.profile->limits.compute_major;
    *minor = device.profile->limits.compute_minor;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice handle) {
  return WithDevice(handle, properties, [&](const Device& device) {
    const Profile& profile = *device.profile;
    const int threads = static_cast<int>(profile.limits.max_threads_per_block);
    *properties = {threads,
                   {threads, threads, 64},
                   {2147483647, 65535, 65535},
                   static_cast<int>(profile.limits.shared_per_block),
                   65536,
                   32,
                   2147483647,
                   65536,
                   profile.clock_khz,
                   512};
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetPCIBusId(char* text, int size, CUdevice handle) {
  return WithDevice(handle, text, [&](const Device& device) {
    if (size <= static_cast<int>(BusId(device).size())) return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(text, static_cast<std::size_t>(size), "%s", BusId(device).c_str());
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* handle, const char* text) {
  return Locked([&] {
    unsigned domain = 0, bus = 0, slot = 0, function = 0;
    if (handle == nullptr || text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (std::sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
      domain = 0;
      if (std::sscanf(text, "%x:%x.%x", &bus, &slot, &function) < 2) return CUDA_ERROR_INVALID_VALUE;
    }
    if (domain != 0 || slot != 0 || FindDevice(static_cast<int>(bus) - 1) == nullptr)
      return CUDA_ERROR_INVALID_DEVICE;
    *handle = static_cast<int>(bus) - 1;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice handle, CUdevice peer) {
  return WithDevice(handle, can, [&](const Device&) {
    if (FindDevice(peer) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    *can = handle != peer;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice handle, CUdevice peer) {
  return WithDevice(handle, value, [&](const Device&) {
    if (FindDevice(peer) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (handle == peer) return CUDA_ERROR_INVALID_DEVICE;
    *value = attribute == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetExecAffinitySupport(int* value, CUexecAffinityType, CUdevice handle) {
  return WithDevice(handle, value, [&](const Device&) {
    *value = 0;
    return CUDA_SUCCESS;
  });
}
