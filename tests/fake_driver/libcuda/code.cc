// Libraries and kernels. Code is looked at only as far as its format, its architecture and the names in it.
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "tests/fake_driver/libcuda/functions.h"
#include "tests/fake_driver/libcuda/state.h"

namespace gemm::fake {
namespace {

// The number behind `key` in PTX text, its dot left out: ".version 9.0" gives 90, ".target sm_90a" gives 90.
std::optional<int> NumberBehind(const char* text, const char* key) {
  const char* found = std::strstr(text, key);
  if (found == nullptr) return std::nullopt;
  int number = 0;
  int digits = 0;
  for (const char* at = found + std::strlen(key); *at == '.' || (*at >= '0' && *at <= '9'); ++at) {
    if (*at == '.') continue;
    number = 10 * number + (*at - '0');
    ++digits;
  }
  return digits == 0 ? std::nullopt : std::optional<int>(number);
}

// What a cubin is, by its ELF header. The SM version moved within e_flags between CUDA 12 (ABI 7) and CUDA 13
// (ABI 8): seen in the output of both ptxas, 2026-11.
Library DescribeCubin(const void* code) {
  Elf64_Ehdr header;
  std::memcpy(&header, code, sizeof(header));
  const bool new_flags = header.e_ident[EI_ABIVERSION] >= 8;
  const std::size_t sections = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  const std::size_t segments = header.e_phoff + std::size_t{header.e_phnum} * header.e_phentsize;
  return {code, std::max(sections, segments), false,
          static_cast<int>(new_flags ? header.e_flags >> 8 & 0xFF : header.e_flags & 0xFF), ""};
}

CUresult Describe(const void* code, Library* library) {
  const char* text = static_cast<const char*>(code);
  if (std::memcmp(text, ELFMAG, SELFMAG) == 0) {
    *library = DescribeCubin(code);
    return CUDA_SUCCESS;
  }
  const std::optional<int> version = NumberBehind(text, ".version ");
  const std::optional<int> target = NumberBehind(text, ".target sm_");
  if (!version || !target) return CUDA_ERROR_INVALID_IMAGE;
  // PTX 8.0 came with CUDA 12.0, 9.0 with 13.0, and a minor version with a minor one.
  if (*version - 80 > (ClaimedVersion() - 12000) / 100 + ClaimedVersion() % 1000 / 10) {
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  *library = {code, std::strlen(text), true, *target, ""};
  return CUDA_SUCCESS;
}

// Whether code made for `library.architecture` can run on the device.
bool Fits(const Library& library, const Profile& profile) {
  const int device = 10 * profile.major + profile.minor;
  if (library.is_ptx) return library.architecture <= device;
  return library.architecture / 10 == profile.major && library.architecture <= device;
}

bool IsRefused(const Library& library) { return Lists("REFUSE", library.is_ptx ? "ptx" : "cubin"); }

Kernel* FindHandle(const State& state, CUkernel handle) {
  for (const auto& [key, kernel] : state.kernels) {
    if (reinterpret_cast<CUkernel>(kernel) == handle) return kernel;
  }
  return nullptr;
}

}  // namespace

CUresult LibraryLoadData(CUlibrary* out, const void* code, CUjit_option*, void**, unsigned, CUlibraryOption*,
                         void**, unsigned) {
  GEMM_FAKE_ENTER("cuLibraryLoadData");
  if (code == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Library description;
  const CUresult result = Describe(code, &description);
  if (result != CUDA_SUCCESS) return result;
  if (IsRefused(description) && Setting("REFUSE_LATE").empty()) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  auto* library = new Library(description);
  // As the driver does, unless it is told that the code stays where it is.
  library->copy.assign(static_cast<const char*>(code), library->size);
  library->code = library->copy.c_str();
  state.libraries.insert(library);
  *out = reinterpret_cast<CUlibrary>(library);
  return CUDA_SUCCESS;
}

CUresult LibraryUnload(CUlibrary handle) {
  GEMM_FAKE_ENTER("cuLibraryUnload");
  auto* library = reinterpret_cast<Library*>(handle);
  if (state.libraries.erase(library) == 0) return CUDA_ERROR_INVALID_HANDLE;
  for (auto entry = state.functions.begin(); entry != state.functions.end();) {
    if (entry->first.first->library == library) {
      delete entry->second;
      entry = state.functions.erase(entry);
    } else {
      ++entry;
    }
  }
  for (auto entry = state.kernels.begin(); entry != state.kernels.end();) {
    if (entry->first.first == library) {
      for (Context* context : state.contexts) context->loaded.erase(entry->second);
      delete entry->second;
      entry = state.kernels.erase(entry);
    } else {
      ++entry;
    }
  }
  delete library;
  return CUDA_SUCCESS;
}

CUresult LibraryGetKernel(CUkernel* out, CUlibrary handle, const char* name) {
  GEMM_FAKE_ENTER("cuLibraryGetKernel");
  auto* library = reinterpret_cast<Library*>(handle);
  if (state.libraries.count(library) == 0) return CUDA_ERROR_INVALID_HANDLE;
  // Names end the same way in an ELF string table (NUL) and in PTX (a parenthesis).
  const std::string in_text = std::string(library->is_ptx ? ".entry " : ".text.") + name;
  const std::size_t length = library->is_ptx ? in_text.size() : in_text.size() + 1;
  const void* found = memmem(library->code, library->size, in_text.c_str(), length);
  if (found == nullptr || (library->is_ptx && static_cast<const char*>(found)[length] != '('))
    return CUDA_ERROR_NOT_FOUND;
  Kernel*& kernel = state.kernels[{library, name}];
  if (kernel == nullptr) kernel = new Kernel{library, name, {}};
  *out = reinterpret_cast<CUkernel>(kernel);
  return CUDA_SUCCESS;
}

CUresult KernelGetFunction(CUfunction* out, CUkernel handle) {
  GEMM_FAKE_ENTER("cuKernelGetFunction");
  GEMM_FAKE_CONTEXT();
  Kernel* kernel = FindHandle(state, handle);
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (IsRefused(*kernel->library)) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  if (!Fits(*kernel->library, *state.devices[context->device].profile)) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  Function*& function = state.functions[{kernel, context}];
  if (function == nullptr) function = new Function{kernel, context};
  context->loaded.insert(kernel);
  *out = reinterpret_cast<CUfunction>(function);
  return CUDA_SUCCESS;
}

CUresult KernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel handle, CUdevice device) {
  GEMM_FAKE_ENTER("cuKernelGetAttribute");
  Kernel* kernel = FindHandle(state, handle);
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
      const auto limit = kernel->shared_limit.find(device);
      *value = limit == kernel->shared_limit.end() ? 48 * 1024 : limit->second;
      return CUDA_SUCCESS;
    }
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = 1024;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = 32;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      *value = kernel->library->architecture;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = 0;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult KernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel handle, CUdevice device) {
  GEMM_FAKE_ENTER("cuKernelSetAttribute");
  Kernel* kernel = FindHandle(state, handle);
  if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (device < 0 || device >= static_cast<int>(state.devices.size())) return CUDA_ERROR_INVALID_DEVICE;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_ERROR_INVALID_VALUE;
  if (value < 0 || value > state.devices[device].profile->shared_optin_bytes) return CUDA_ERROR_INVALID_VALUE;
  kernel->shared_limit[device] = value;
  return CUDA_SUCCESS;
}

}  // namespace gemm::fake
