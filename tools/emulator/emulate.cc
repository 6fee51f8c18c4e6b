// Runs one kernel of a PTX file on the emulated GPU, at several seeds. README.md shows it at work.
#include <cuda.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// What the process ends with: of several seeds, the greatest.
enum ExitCode { kClean = 0, kFinding = 1, kBadInput = 2 };

struct Options {
  std::string file, kernel;
  std::vector<std::string> arguments;
  std::vector<unsigned> grid{1, 1, 1}, block{32, 1, 1}, cluster{1, 1, 1};
  unsigned shared = 0;
  std::vector<std::uint64_t> seeds{0, 1, 2, 3};
  std::string profile = "h200";
};

// A kernel's parameter: the bytes of a value, or of a buffer's first content.
struct Argument {
  bool buffer = false;
  std::vector<std::byte> bytes;
  CUdeviceptr address = 0;
};

template <class T>
T Parse(const std::string& text, const std::string& whole) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::invalid_argument(fmt::format("'{}' in the argument '{}' is no such number", text, whole));
  }
  return value;
}

template <class T>
Argument ValueOf(const std::string& text, const std::string& whole) {
  const T value = Parse<T>(text, whole);
  Argument argument{false, std::vector<std::byte>(sizeof value)};
  std::memcpy(argument.bytes.data(), &value, sizeof value);
  return argument;
}

Argument BufferOf(const std::string& text, const std::string& whole) {
  const std::size_t colon = text.find(':');
  const std::string fill = colon == std::string::npos ? "zeros" : text.substr(colon + 1);
  Argument argument{true, std::vector<std::byte>(Parse<std::uint32_t>(text.substr(0, colon), whole))};
  if (fill == "floats") {
    std::mt19937 random(1);
    for (std::size_t i = 0; i + 4 <= argument.bytes.size(); i += 4) {
      const float value = static_cast<float>(static_cast<int>(random() % 17) - 8);
      std::memcpy(argument.bytes.data() + i, &value, 4);
    }
  } else if (fill != "zeros") {
    throw std::invalid_argument(
        fmt::format("'{}' in the argument '{}'; zeros and floats are allowed", fill, whole));
  }
  return argument;
}

Argument ParseArgument(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (kind == "buffer") return BufferOf(rest, text);
  if (kind == "u32") return ValueOf<std::uint32_t>(rest, text);
  if (kind == "s32") return ValueOf<std::int32_t>(rest, text);
  if (kind == "u64") return ValueOf<std::uint64_t>(rest, text);
  if (kind == "s64") return ValueOf<std::int64_t>(rest, text);
  if (kind == "f32") return ValueOf<float>(rest, text);
  if (kind == "f64") return ValueOf<double>(rest, text);
  throw std::invalid_argument(
      fmt::format("the argument '{}' begins with none of buffer: u32: s32: u64: s64: f32: f64:", text));
}

// Throws std::runtime_error with the call's name.
void Check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  cuGetErrorName(result, &name);
  throw std::runtime_error(fmt::format("{}: {}", call, name == nullptr ? "an unknown error" : name));
}

std::uint64_t Hash(std::uint64_t hash, const std::vector<std::byte>& bytes) {  // FNV-1a
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
  return hash;
}

CUfunction LoadKernel(const Options& options) {
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  Check(cuModuleLoad(&module, options.file.c_str()), "cuModuleLoad");
  Check(cuModuleGetFunction(&function, module, options.kernel.c_str()), "cuModuleGetFunction");
  if (options.shared > 48 * 1024) {
    Check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             static_cast<int>(options.shared)),
          "cuFuncSetAttribute");
  }
  return function;
}

// The driver reads as many parameters as the kernel has, whatever it is given.
void CheckParameters(CUfunction function, const std::vector<Argument>& arguments) {
  std::size_t count = 0, offset = 0, size = 0;
  while (cuFuncGetParamInfo(function, count, &offset, &size) == CUDA_SUCCESS) {
    if (count < arguments.size()) {
      const std::size_t given = arguments[count].buffer ? sizeof(CUdeviceptr) : arguments[count].bytes.size();
      if (given != size) {
        throw std::invalid_argument(
            fmt::format("the kernel's parameter {} takes {} bytes, and not {}", count, size, given));
      }
    }
    ++count;
  }
  if (count != arguments.size()) {
    throw std::invalid_argument(
        fmt::format("the kernel has {} parameters, and not {}", count, arguments.size()));
  }
}

void Launch(const Options& options, CUfunction function, std::vector<Argument>* arguments) {
  std::vector<void*> parameters;
  CheckParameters(function, *arguments);
  for (Argument& argument : *arguments) {
    parameters.push_back(argument.buffer ? static_cast<void*>(&argument.address) : argument.bytes.data());
  }
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {options.cluster[0], options.cluster[1], options.cluster[2]};
  CUlaunchConfig config{};
  config.gridDimX = options.grid[0], config.gridDimY = options.grid[1], config.gridDimZ = options.grid[2];
  config.blockDimX = options.block[0], config.blockDimY = options.block[1], config.blockDimZ = options.block[2];
  config.sharedMemBytes = options.shared;
  config.attrs = &cluster;
  config.numAttrs = options.cluster[0] * options.cluster[1] * options.cluster[2] > 1 ? 1 : 0;
  Check(cuLaunchKernelEx(&config, function, parameters.data(), nullptr), "cuLaunchKernelEx");
}

// The exit code. What the emulator finds, it prints itself.
ExitCode RunOnce(const Options& options, std::uint64_t seed) {
  setenv("GPU_EMULATOR_PROFILE", options.profile.c_str(), 1);
  setenv("GPU_EMULATOR_SEED", std::to_string(seed).c_str(), 1);
  Check(cuInit(0), "cuInit");
  CUcontext context = nullptr;
  Check(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
  Check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  CUfunction function = LoadKernel(options);
  std::vector<Argument> arguments;
  for (const std::string& text : options.arguments) arguments.push_back(ParseArgument(text));
  for (Argument& argument : arguments) {
    if (!argument.buffer) continue;
    Check(cuMemAlloc(&argument.address, argument.bytes.size()), "cuMemAlloc");
    Check(cuMemcpyHtoD(argument.address, argument.bytes.data(), argument.bytes.size()), "cuMemcpyHtoD");
  }
  Launch(options, function, &arguments);
  if (cuCtxSynchronize() != CUDA_SUCCESS) return kFinding;
  std::uint64_t hash = 0xcbf29ce484222325;
  for (Argument& argument : arguments) {
    if (!argument.buffer) continue;
    Check(cuMemcpyDtoH(argument.bytes.data(), argument.address, argument.bytes.size()), "cuMemcpyDtoH");
    hash = Hash(hash, argument.bytes);
  }
  fmt::print("seed {}: no finding; hash of the buffers {:016x}\n", seed, hash);
  return kClean;
}

// In a process of its own: the driver reads its variables once.
int RunSeed(const Options& options, std::uint64_t seed) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    int code = kBadInput;
    try {
      code = RunOnce(options, seed);
    } catch (const std::exception& error) {
      fmt::print(stderr, "emulate: {}\n", error.what());
    }
    std::fflush(nullptr);
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(kBadInput);
}

template <class T>
std::vector<T> ParseList(const std::string& text) {
  std::vector<T> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(Parse<T>(text.substr(begin, end - begin), text));
    begin = end + 1;
  }
  return values;
}

std::vector<unsigned> ParseSize(const std::string& text) {
  std::vector<unsigned> size = ParseList<unsigned>(text);
  if (size.size() > 3) throw std::invalid_argument(fmt::format("'{}' has more than three dimensions", text));
  size.resize(3, 1);
  return size;
}

void Describe(CLI::App* app, Options* options) {
  app->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app->add_option("FILE", options->file, "PTX")->required();
  app->add_option("KERNEL", options->kernel, "its name in the PTX")->required();
  app->add_option("ARGUMENT", options->arguments,
                  "one per parameter: u32:7, s32:-1, u64:, s64:, f32:0.5, f64:, buffer:4096 (bytes, zeroed) or "
                  "buffer:4096:floats (small whole numbers)")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  const auto add = [app](const std::string& name, const std::string& value, const std::string& help,
                         std::function<void(const std::string&)> take) {
    app->add_option_function(name, std::move(take), help)->option_text(value);
  };
  add("--grid", "X[,Y[,Z]]", "blocks (default 1)", [=](const auto& text) { options->grid = ParseSize(text); });
  add("--block", "X[,Y[,Z]]", "threads of a block (default 32)",
      [=](const auto& text) { options->block = ParseSize(text); });
  add("--cluster", "X[,Y[,Z]]", "blocks of a cluster (default 1)",
      [=](const auto& text) { options->cluster = ParseSize(text); });
  add("--shared", "BYTES", "dynamic shared memory (default 0)",
      [=](const auto& text) { options->shared = Parse<unsigned>(text, text); });
  add("--seeds", "N,N,...", "0: in order, 1: as late as allowed, others: mixed (default 0,1,2,3)",
      [=](const auto& text) { options->seeds = ParseList<std::uint64_t>(text); });
  add("--profile", "NAME", "a100, rtx4090, rtx5070ti, h100 or h200 (default h200)",
      [=](const auto& text) { options->profile = text; });
  app->footer("Exit code: 0 no finding, 1 a finding, 2 bad input.");
}

int Run(const Options& options) {
  int worst = kClean;
  for (const std::uint64_t seed : options.seeds) worst = std::max(worst, RunSeed(options, seed));
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Runs one kernel of a PTX file on the emulated GPU, at several seeds.", "emulate");
  Describe(&app, &options);
  try {
    app.parse(argc, argv);
    return Run(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kClean : kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "emulate: {}\n", error.what());
    return kBadInput;
  }
}
