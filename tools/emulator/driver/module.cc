// Code placed in contexts.
#include <algorithm>

#include "tools/emulator/driver/code.h"
#include "tools/emulator/driver/report.h"

namespace emu::driver {
namespace {

// How much of the device memory in use the image takes, for the device's account.
class Counted {
 public:
  explicit Counted(const DeviceMemory& memory) : memory_(memory), before_(memory.used()) {}
  std::uint64_t bytes() const { return memory_.used() - before_; }

 private:
  const DeviceMemory& memory_;
  std::uint64_t before_;
};

bool Fits(const Device& device) { return device.used_bytes <= device.profile->memory_bytes; }

bool HasKernel(const Image& image, const std::string& name) {
  const ptx::Function* function = image.module().Find(name);
  return function != nullptr && function->entry && !function->declared_only;
}

// Whether any kernel of the replacement has the name of one of the module's.
bool Replaces(const Image& replacement, const Image& image) {
  const auto& functions = replacement.module().functions;
  return std::any_of(functions.begin(), functions.end(), [&](const ptx::Function& function) {
    return HasKernel(replacement, function.name) && HasKernel(image, function.name);
  });
}

CUresult PlaceImages(Module* module, JitLog& log) {
  State& state = GetState();
  try {
    module->image = std::make_unique<Image>(module->code->module, state.memory.get(), AllFamilies());
    if (state.settings.replacement.empty()) return CUDA_SUCCESS;
    auto replacement = std::make_unique<Image>(state.settings.replacement, state.memory.get(), AllFamilies());
    if (Replaces(*replacement, *module->image)) module->replacement = std::move(replacement);
    return CUDA_SUCCESS;
  } catch (const ptx::SyntaxError& error) {
    log.Error(error.what());
    return CUDA_ERROR_INVALID_PTX;
  } catch (const Stop& stop) {
    log.Error(stop.what());
    return stop.finding().kind == FindingKind::kUnsupported ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_OUT_OF_MEMORY;
  }
}

// Where the kernel of that name is to be taken from.
Image& ImageFor(Module& module, const std::string& name) {
  return module.replacement != nullptr && HasKernel(*module.replacement, name) ? *module.replacement
                                                                               : *module.image;
}

}  // namespace

KernelSettings& Function::settings() {
  return kernel == nullptr ? own : kernel->settings[module->context->device];
}

Module::~Module() {
  State& state = GetState();
  for (const auto& [name, function] : functions) state.functions.erase(function.get());
  image.reset();
  replacement.reset();
  if (context != nullptr) context->device->used_bytes -= global_bytes;
}

Library::~Library() {
  for (const auto& [name, kernel] : kernels) GetState().kernels.erase(kernel.get());
}

CUresult LoadModule(Context& context, std::shared_ptr<const Code> code, Library* library, JitLog& log,
                    Module** module) {
  if (const CUresult result = CheckTarget(*context.device, *code, log); result != CUDA_SUCCESS) return result;
  State& state = GetState();
  auto loaded = std::make_unique<Module>();
  loaded->context = &context;
  loaded->library = library;
  loaded->code = std::move(code);
  const Counted counted(*state.memory);
  if (const CUresult result = PlaceImages(loaded.get(), log); result != CUDA_SUCCESS) return result;
  loaded->global_bytes = counted.bytes();
  context.device->used_bytes += loaded->global_bytes;
  if (!Fits(*context.device)) return CUDA_ERROR_OUT_OF_MEMORY;
  *module = state.modules.Add(std::move(loaded));
  return CUDA_SUCCESS;
}

void UnloadModule(Module* module) { GetState().modules.Erase(module); }

CUresult ModuleOf(Library& library, Context& context, Module** module) {
  for (const auto& [handle, known] : GetState().modules) {
    if (known->library != &library || known->context != &context) continue;
    *module = known.get();
    return CUDA_SUCCESS;
  }
  JitLog log(0, nullptr, nullptr);
  return LoadModule(context, library.code, &library, log, module);
}

CUresult FunctionOf(Module& module, const std::string& name, Function** function) {
  std::unique_ptr<Function>& known = module.functions[name];
  if (known != nullptr) {
    *function = known.get();
    return CUDA_SUCCESS;
  }
  JitLog log(0, nullptr, nullptr);
  std::shared_ptr<const Program> program;
  try {
    program = ImageFor(module, name).Kernel(name);
  } catch (const ptx::SyntaxError& error) {
    log.Error(error.what());
  } catch (const Stop& stop) {
    log.Error(stop.what());
  }
  if (program == nullptr) {
    module.functions.erase(name);
    return HasKernel(ImageFor(module, name), name) ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_NOT_FOUND;
  }
  known = std::make_unique<Function>();
  known->module = &module;
  known->name = name;
  known->program = std::move(program);
  if (module.library != nullptr && module.library->kernels.count(name) == 1) {
    known->kernel = module.library->kernels[name].get();
  }
  GetState().functions.insert(known.get());
  *function = known.get();
  return CUDA_SUCCESS;
}

CUresult FunctionOf(Kernel& kernel, Context& context, Function** function) {
  Module* module = nullptr;
  const CUresult result = ModuleOf(*kernel.library, context, &module);
  return result == CUDA_SUCCESS ? FunctionOf(*module, kernel.name, function) : result;
}

CUresult ResolveFunction(CUfunction handle, Context& context, Function** function) {
  const State& state = GetState();
  auto* const kernel = reinterpret_cast<Kernel*>(handle);
  if (state.kernels.count(kernel) == 1) return FunctionOf(*kernel, context, function);
  *function = reinterpret_cast<Function*>(handle);
  if (state.functions.count(*function) == 0) return CUDA_ERROR_INVALID_HANDLE;
  return (*function)->module->context == &context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

}  // namespace emu::driver
