// cuModule*, cuLink*, cuFunc*.
#include <functional>

#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/launch.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

CUresult Load(CUmodule* out, const std::function<CUresult(JitLog&, std::shared_ptr<const Code>*)>& read,
              unsigned count, const CUjit_option* options, void** values) {
  return InContext([&](Context& context) -> CUresult {
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    JitLog log(count, options, values);
    std::shared_ptr<const Code> code;
    Module* module = nullptr;
    if (const CUresult result = read(log, &code); result != CUDA_SUCCESS) return result;
    if (const CUresult result = LoadModule(context, code, nullptr, log, &module); result != CUDA_SUCCESS)
      return result;
    *out = reinterpret_cast<CUmodule>(module);
    return CUDA_SUCCESS;
  });
}

template <class Body>
CUresult WithModule(CUmodule handle, Body&& body) {
  return InContext([&](Context&) -> CUresult {
    Module* const module = GetState().modules.Find(handle);
    return module == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*module);
  });
}

template <class Body>
CUresult WithFunction(CUfunction handle, Body&& body) {
  return Locked([&]() -> CUresult {
    auto* function = reinterpret_cast<Function*>(handle);
    if (GetState().functions.count(function) == 1) return body(*function);
    Context* context = nullptr;
    if (const CUresult result = UsableContext(&context); result != CUDA_SUCCESS) return result;
    const CUresult result = ResolveFunction(handle, *context, &function);
    return result == CUDA_SUCCESS ? body(*function) : result;
  });
}

std::vector<std::string> KernelNames(const ptx::Module& module) {
  std::vector<std::string> names;
  for (const ptx::Function& function : module.functions) {
    if (function.entry && !function.declared_only) names.push_back(function.name);
  }
  return names;
}

}  // namespace
}  // namespace emu::driver

using namespace emu;
using namespace emu::driver;

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options,
                            void** values) {
  return Load(
      module,
      [&](JitLog& log, std::shared_ptr<const Code>* code) {
        return ReadCode(image, Bodies::kAtOnce, log, code);
      },
      count, options, values);
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) { return cuModuleLoadData(module, image); }

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return Load(
      module,
      [&](JitLog& log, std::shared_ptr<const Code>* code) {
        return ReadCodeFile(path, Bodies::kAtOnce, log, code);
      },
      0, nullptr, nullptr);
}

CUresult cuModuleUnload(CUmodule handle) {
  return WithModule(handle, [](Module& module) {
    if (module.library != nullptr) return CUDA_ERROR_INVALID_HANDLE;
    Settle(*module.context->device);
    UnloadModule(&module);
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetFunction(CUfunction* out, CUmodule handle, const char* name) {
  return WithModule(handle, [&](Module& module) -> CUresult {
    if (out == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Function* function = nullptr;
    const CUresult result = FunctionOf(module, name, &function);
    if (result == CUDA_SUCCESS) *out = reinterpret_cast<CUfunction>(function);
    return result;
  });
}

CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule handle) {
  return WithModule(handle, [&](Module& module) {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<unsigned>(KernelNames(module.image->module()).size());
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule handle) {
  return WithModule(handle, [&](Module& module) -> CUresult {
    if (functions == nullptr) return CUDA_ERROR_INVALID_VALUE;
    unsigned i = 0;
    for (const std::string& name : KernelNames(module.image->module())) {
      if (i == count) break;
      Function* function = nullptr;
      if (const CUresult result = FunctionOf(module, name, &function); result != CUDA_SUCCESS) return result;
      functions[i++] = reinterpret_cast<CUfunction>(function);
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule handle, const char* name) {
  return WithModule(handle, [&](Module& module) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::uint64_t at = 0, size = 0;
    if (!module.image->GlobalVariable(name, &at, &size)) return CUDA_ERROR_NOT_FOUND;
    if (address != nullptr) *address = at;
    if (bytes != nullptr) *bytes = size;
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  return WithFunction(handle, [&](Function& function) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return GetFunctionAttribute(*function.program, function.settings(), *function.module->code,
                                *function.module->context->device, attribute, value);
  });
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  return WithFunction(handle, [&](Function& function) {
    return SetFunctionAttribute(function.settings(), function.program->static_shared,
                                *function.module->context->device, attribute, value);
  });
}

CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config) {
  return WithFunction(handle, [&](Function&) {
    return config < CU_FUNC_CACHE_PREFER_NONE || config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE
                                                                                     : CUDA_SUCCESS;
  });
}

CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig) {
  return WithFunction(handle, [](Function&) { return CUDA_SUCCESS; });
}

CUresult cuFuncGetModule(CUmodule* module, CUfunction handle) {
  return WithFunction(handle, [&](Function& function) {
    if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *module = reinterpret_cast<CUmodule>(function.module);
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetName(const char** name, CUfunction handle) {
  return WithFunction(handle, [&](Function& function) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = function.name.c_str();
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetParamInfo(CUfunction handle, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return WithFunction(handle, [&](Function& function) {
    if (offset == nullptr || index >= function.program->params.size()) return CUDA_ERROR_INVALID_VALUE;
    *offset = function.program->params[index].first;
    if (bytes != nullptr) *bytes = function.program->params[index].second;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction handle) {
  return WithFunction(handle, [&](Function&) {
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncLoad(CUfunction handle) {
  return WithFunction(handle, [](Function&) { return CUDA_SUCCESS; });
}
