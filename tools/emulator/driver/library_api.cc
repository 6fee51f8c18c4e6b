// cuLibrary* and cuKernel*.
#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/launch.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

// Its kernels, which need no context.
void ListKernels(Library& library) {
  for (const ptx::Function& function : library.code->module->functions) {
    if (function.entry && !function.declared_only) library.kernel_names.push_back(function.name);
  }
  for (const std::string& name : library.kernel_names) {
    auto kernel = std::make_unique<Kernel>();
    kernel->library = &library;
    kernel->name = name;
    library.kernels[name] = std::move(kernel);
  }
}

void AddLibrary(std::shared_ptr<const Code> code, CUlibrary* out) {
  auto library = std::make_unique<Library>();
  library->code = std::move(code);
  ListKernels(*library);
  for (const auto& [name, kernel] : library->kernels) GetState().kernels.insert(kernel.get());
  *out = reinterpret_cast<CUlibrary>(GetState().libraries.Add(std::move(library)));
}

template <class Body>
CUresult WithLibrary(CUlibrary handle, Body&& body) {
  return Locked([&]() -> CUresult {
    Library* const library = GetState().libraries.Find(handle);
    return library == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*library);
  });
}

template <class Body>
CUresult WithKernel(CUkernel handle, Body&& body) {
  return Locked([&]() -> CUresult {
    auto* const kernel = reinterpret_cast<Kernel*>(handle);
    return GetState().kernels.count(kernel) == 0 ? CUDA_ERROR_INVALID_HANDLE : body(*kernel);
  });
}

// A kernel's program for a device: from a context that has it, or from one that is made for the question.
CUresult ProgramFor(Kernel& kernel, Device& device, std::shared_ptr<const Program>* program) {
  Function* function = nullptr;
  for (Context* context : ContextsOf(device)) {
    for (const auto& [handle, module] : GetState().modules) {
      if (module->library != kernel.library || module->context != context) continue;
      const CUresult result = FunctionOf(*module, kernel.name, &function);
      if (result == CUDA_SUCCESS) *program = function->program;
      return result;
    }
  }
  std::shared_ptr<const Program>& known = kernel.programs[&device];
  if (known == nullptr) {
    const std::unique_ptr<Context> scratch = MakeContext(device, 0);
    const CUresult result = FunctionOf(kernel, *scratch, &function);
    if (result == CUDA_SUCCESS) known = function->program;
    Empty(*scratch);
    if (result != CUDA_SUCCESS) return result;
  }
  *program = known;
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace emu::driver

using namespace emu;
using namespace emu::driver;

CUresult cuLibraryLoadData(CUlibrary* out, const void* image, CUjit_option* options, void** values,
                           unsigned count, CUlibraryOption*, void**, unsigned) {
  return Locked([&]() -> CUresult {
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    JitLog log(count, options, values);
    std::shared_ptr<const Code> code;
    const CUresult result = ReadCode(image, Bodies::kWhenAskedFor, log, &code);
    if (result == CUDA_SUCCESS) AddLibrary(std::move(code), out);
    return result;
  });
}

CUresult cuLibraryLoadFromFile(CUlibrary* out, const char* path, CUjit_option* options, void** values,
                               unsigned count, CUlibraryOption*, void**, unsigned) {
  return Locked([&]() -> CUresult {
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    JitLog log(count, options, values);
    std::shared_ptr<const Code> code;
    const CUresult result = ReadCodeFile(path, Bodies::kWhenAskedFor, log, &code);
    if (result == CUDA_SUCCESS) AddLibrary(std::move(code), out);
    return result;
  });
}

CUresult cuLibraryUnload(CUlibrary handle) {
  return WithLibrary(handle, [](Library& library) {
    State& state = GetState();
    for (const auto& device : state.devices) Settle(*device);
    for (auto entry = state.modules.begin(); entry != state.modules.end();) {
      Module* const module = (entry++)->second.get();
      if (module->library == &library) UnloadModule(module);
    }
    state.libraries.Erase(&library);
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernel(CUkernel* out, CUlibrary handle, const char* name) {
  return WithLibrary(handle, [&](Library& library) {
    if (out == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto found = library.kernels.find(name);
    if (found == library.kernels.end()) return CUDA_ERROR_NOT_FOUND;
    *out = reinterpret_cast<CUkernel>(found->second.get());
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary handle) {
  return WithLibrary(handle, [&](Library& library) {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<unsigned>(library.kernels.size());
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary handle) {
  return WithLibrary(handle, [&](Library& library) {
    if (kernels == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count && i < library.kernel_names.size(); ++i) {
      kernels[i] = reinterpret_cast<CUkernel>(library.kernels[library.kernel_names[i]].get());
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetModule(CUmodule* out, CUlibrary handle) {
  return InContext([&](Context& context) -> CUresult {
    Library* const library = GetState().libraries.Find(handle);
    Module* module = nullptr;
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (library == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const CUresult result = ModuleOf(*library, context, &module);
    if (result == CUDA_SUCCESS) *out = reinterpret_cast<CUmodule>(module);
    return result;
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUlibrary handle, const char* name) {
  CUmodule module = nullptr;
  const CUresult result = cuLibraryGetModule(&module, handle);
  return result == CUDA_SUCCESS ? cuModuleGetGlobal_v2(address, bytes, module, name) : result;
}

CUresult cuLibraryGetManaged(CUdeviceptr*, std::size_t*, CUlibrary handle, const char* name) {
  return WithLibrary(
      handle, [&](Library&) { return name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_FOUND; });
}

CUresult cuKernelGetFunction(CUfunction* out, CUkernel handle) {
  return WithKernel(handle, [&](Kernel& kernel) -> CUresult {
    Context* context = nullptr;
    Function* function = nullptr;
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = UsableContext(&context);
    if (result == CUDA_SUCCESS) result = FunctionOf(kernel, *context, &function);
    if (result == CUDA_SUCCESS) *out = reinterpret_cast<CUfunction>(function);
    return result;
  });
}

CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel handle) {
  return WithKernel(handle, [&](Kernel& kernel) {
    if (library == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *library = reinterpret_cast<CUlibrary>(kernel.library);
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetName(const char** name, CUkernel handle) {
  return WithKernel(handle, [&](Kernel& kernel) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = kernel.name.c_str();
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel handle,
                              CUdevice device_handle) {
  return WithKernel(handle, [&](Kernel& kernel) -> CUresult {
    Device* const device = FindDevice(device_handle);
    std::shared_ptr<const Program> program;
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (const CUresult result = ProgramFor(kernel, *device, &program); result != CUDA_SUCCESS) return result;
    return GetFunctionAttribute(*program, kernel.settings[device], *kernel.library->code, *device, attribute,
                                value);
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel handle,
                              CUdevice device_handle) {
  return WithKernel(handle, [&](Kernel& kernel) -> CUresult {
    Device* const device = FindDevice(device_handle);
    std::shared_ptr<const Program> program;
    if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    if (const CUresult result = ProgramFor(kernel, *device, &program); result != CUDA_SUCCESS) return result;
    return SetFunctionAttribute(kernel.settings[device], program->static_shared, *device, attribute, value);
  });
}

CUresult cuKernelSetCacheConfig(CUkernel handle, CUfunc_cache config, CUdevice device) {
  return WithKernel(handle, [&](Kernel&) {
    if (FindDevice(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    return config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE
                                                                                     : CUDA_SUCCESS;
  });
}

CUresult cuKernelGetParamInfo(CUkernel handle, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return WithKernel(handle, [&](Kernel& kernel) -> CUresult {
    std::shared_ptr<const Program> program;
    if (offset == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Device& device = *GetState().devices[0];
    if (const CUresult result = ProgramFor(kernel, device, &program); result != CUDA_SUCCESS) return result;
    if (index >= program->params.size()) return CUDA_ERROR_INVALID_VALUE;
    *offset = program->params[index].first;
    if (bytes != nullptr) *bytes = program->params[index].second;
    return CUDA_SUCCESS;
  });
}
