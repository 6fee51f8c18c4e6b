// Device code: what was given to the driver, and its kernels in contexts.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/emulator/driver/state.h"
#include "tools/emulator/exec/program.h"

namespace emu::driver {

// PTX as it was given, and what it says: parsed once, however many contexts use it.
struct Code {
  std::string text;
  std::shared_ptr<const ptx::Module> module;
  std::string target;  // "sm_90a"
  int version = 0;     // 90 for PTX 9.0
};

// Where the caller wants messages: the options of cuModuleLoadDataEx and its like.
class JitLog {
 public:
  JitLog(unsigned count, const CUjit_option* options, void** values);
  // Writes the sizes back, as the driver does, also when nothing was said.
  ~JitLog();
  // Why the code cannot be used, also for whoever reads stderr.
  void Error(const std::string& message);
  // The same, but not on stderr: programs commonly try a cubin first and PTX after it.
  void Refusal(const std::string& message);

 private:
  void Write(const std::string& message);

  void** values_ = nullptr;
  int error_size_at_ = -1, info_size_at_ = -1;
  char* buffer_ = nullptr;
  std::size_t capacity_ = 0, written_ = 0;
};

// When bodies of kernels are read, and what is wrong in them is found: as a driver loads modules, or as it loads libraries
// unless CUDA_MODULE_LOADING says EAGER (CUDA Driver API, cuLibraryLoadData). Of a hundred kernels most programs want few.
enum class Bodies { kAtOnce, kWhenAskedFor };

// What may be given: PTX text, a fat binary with PTX in it (a container or a wrapper around one), or an ELF, which is refused.
// Among several PTX in a container, the newest that one of the devices can run.
CUresult ReadCode(const void* image, Bodies bodies, JitLog& log, std::shared_ptr<const Code>* code);
CUresult ReadCodeFile(const char* path, Bodies bodies, JitLog& log, std::shared_ptr<const Code>* code);

// Whether the device can run code of that target: the same architecture for "sm_90a", the same family for "sm_100f", an older
// or the same one otherwise (PTX ISA, ".target").
bool CanRun(const DeviceLimits& limits, const std::string& target);
CUresult CheckTarget(const Device& device, const Code& code, JitLog& log);

// What cuFuncSetAttribute sets.
struct KernelSettings {
  int max_dynamic_shared = -1;  // not set
  int carveout = -1;
  int non_portable_cluster = 0;
  int cluster_policy = 0;
  int must_set_cluster = 0;
  int required_cluster[3] = {0, 0, 0};
};

// A kernel of a library, for any context.
struct Kernel {
  Library* library = nullptr;
  std::string name;
  std::map<Device*, KernelSettings> settings;
  std::map<Device*, std::shared_ptr<const Program>>
      programs;  // of devices that were asked about it without a context
};

// A kernel in a context.
struct Function {
  Module* module = nullptr;
  Kernel* kernel = nullptr;  // whose settings it shares; null for one of cuModuleLoad
  std::string name;
  std::shared_ptr<const Program> program;
  KernelSettings own;

  KernelSettings& settings();
};

// Code in a context.
struct Module {
  Context* context = nullptr;
  Library* library = nullptr;  // null for one of cuModuleLoad
  std::shared_ptr<const Code> code;
  std::unique_ptr<Image> image;
  std::unique_ptr<Image> replacement;  // kernels that take the place of the image's; null where there are none
  std::uint64_t global_bytes = 0;
  std::map<std::string, std::unique_ptr<Function>> functions;

  ~Module();
};

struct Library {
  std::shared_ptr<const Code> code;
  std::vector<std::string> kernel_names;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;

  ~Library();
};

// Places the code in the context.
CUresult LoadModule(Context& context, std::shared_ptr<const Code> code, Library* library, JitLog& log,
                    Module** module);
void UnloadModule(Module* module);
// The library's module in the context, loaded at the first call.
CUresult ModuleOf(Library& library, Context& context, Module** module);
// CUDA_ERROR_NOT_FOUND for an unknown name, CUDA_ERROR_INVALID_PTX for a kernel with an instruction that is not known.
CUresult FunctionOf(Module& module, const std::string& name, Function** function);
CUresult FunctionOf(Kernel& kernel, Context& context, Function** function);
// What a launch is given: a CUfunction, or a CUkernel in its clothes.
CUresult ResolveFunction(CUfunction handle, Context& context, Function** function);

}  // namespace emu::driver
