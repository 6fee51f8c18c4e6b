#include "tests/emulator/support/run_ptx.h"

#include "tools/emulator/exec/machine.h"
#include "tools/emulator/exec/program.h"
#include "tools/emulator/memory/device_memory.h"

namespace emu::testing {
namespace {

std::string OnlyKernel(const ptx::Module& module) {
  for (const ptx::Function& function : module.functions) {
    if (function.entry) return function.name;
  }
  return "";
}

void RunOrThrow(const std::string& text, const std::string& kernel, const PtxLaunch& launch,
                PtxResult* result) {
  DeviceMemory memory(std::uint64_t{1} << 32);
  Image image(text, &memory, AllFamilies());
  const auto program = image.Kernel(kernel.empty() ? OnlyKernel(image.module()) : kernel);
  if (!program) throw Stop({FindingKind::kUnsupported, kernel, 0, "the text has no such kernel"});
  if (program->params.size() != launch.arguments.size()) {
    throw Stop({FindingKind::kUnsupported, kernel, 0, "the kernel has another number of parameters"});
  }
  LaunchRequest request;
  request.program = program;
  request.blocks = launch.blocks, request.threads = launch.threads, request.cluster = launch.cluster;
  request.dynamic_shared = launch.dynamic_shared;
  request.cooperative = launch.cooperative;
  request.params.resize(program->param_bytes);
  std::vector<std::uint64_t> addresses(launch.arguments.size());
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument& argument = launch.arguments[i];
    const auto [offset, size] = program->params[i];
    if (argument.buffer) {
      addresses[i] = memory.Allocate(argument.bytes.size());
      std::memcpy(reinterpret_cast<void*>(addresses[i]), argument.bytes.data(), argument.bytes.size());
    }
    const void* from = argument.buffer ? static_cast<const void*>(&addresses[i]) : argument.bytes.data();
    const std::size_t bytes = argument.buffer ? 8 : argument.bytes.size();
    if (bytes != size) throw Stop({FindingKind::kUnsupported, kernel, 0, "a parameter has another size"});
    std::memcpy(request.params.data() + offset, from, bytes);
  }
  const auto read_back = [&] {
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      if (!launch.arguments[i].buffer) continue;
      const auto* data = reinterpret_cast<const std::byte*>(addresses[i]);
      result->buffers[i].assign(data, data + launch.arguments[i].bytes.size());
    }
  };
  try {
    Machine machine(launch.limits, &memory, launch.seed);
    machine.Run({&request, 1});
  } catch (...) {
    read_back();
    throw;
  }
  read_back();
}

}  // namespace

PtxResult RunPtx(const std::string& text, const std::string& kernel, const PtxLaunch& launch) {
  PtxResult result;
  result.buffers.resize(launch.arguments.size());
  try {
    RunOrThrow(text, kernel, launch, &result);
  } catch (const Stop& stop) {
    result.finding = stop.finding();
  } catch (const ptx::SyntaxError& error) {
    result.finding = Finding{FindingKind::kUnsupported, kernel, error.line(), error.what()};
  }
  return result;
}

std::string PtxModule(const std::string& params, const std::string& body, const std::string& target) {
  return ".version 9.0\n.target " + target + "\n.address_size 64\n.visible .entry kernel(" + params + ")\n{\n" +
         body + "\n}\n";
}

}  // namespace emu::testing
