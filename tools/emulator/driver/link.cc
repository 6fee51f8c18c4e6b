// cuLink*: there is nothing to link. One PTX goes in and comes out as it is, for programs that load code in no other way;
// anything else is refused.
#include "tools/emulator/driver/link.h"

#include "tools/emulator/driver/entry.h"

namespace emu::driver {
namespace {

template <class Body>
CUresult WithLink(CUlinkState handle, Body&& body) {
  return Locked([&]() -> CUresult {
    Link* const link = GetState().links.Find(handle);
    return link == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*link);
  });
}

CUresult Add(Link& link, CUjitInputType type,
             const std::function<CUresult(JitLog&, std::shared_ptr<const Code>*)>& read) {
  JitLog log(static_cast<unsigned>(link.options.size()), link.options.data(), link.values);
  if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY) {
    log.Error("this is an emulated GPU: PTX only; other code cannot be linked");
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  if (link.code != nullptr) {
    log.Error("this is an emulated GPU: several modules cannot be linked");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  return read(log, &link.code);
}

}  // namespace
}  // namespace emu::driver

using namespace emu::driver;

CUresult cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values, CUlinkState* out) {
  return InContext([&](Context&) {
    if (out == nullptr || (count > 0 && (options == nullptr || values == nullptr)))
      return CUDA_ERROR_INVALID_VALUE;
    auto link = std::make_unique<Link>();
    link->options.assign(options, options + count);
    link->values = values;
    *out = reinterpret_cast<CUlinkState>(GetState().links.Add(std::move(link)));
    return CUDA_SUCCESS;
  });
}

CUresult cuLinkAddData_v2(CUlinkState handle, CUjitInputType type, void* data, std::size_t size, const char*,
                          unsigned, CUjit_option*, void**) {
  return WithLink(handle, [&](Link& link) -> CUresult {
    if (data == nullptr || size == 0) return CUDA_ERROR_INVALID_VALUE;
    // Zeros behind it: the text need not end in one.
    const std::string bytes = std::string(static_cast<const char*>(data), size) + std::string(128, '\0');
    return Add(link, type, [&](JitLog& log, std::shared_ptr<const Code>* code) {
      return ReadCode(bytes.data(), Bodies::kAtOnce, log, code);
    });
  });
}

CUresult cuLinkAddFile_v2(CUlinkState handle, CUjitInputType type, const char* path, unsigned, CUjit_option*,
                          void**) {
  return WithLink(handle, [&](Link& link) -> CUresult {
    return Add(link, type, [&](JitLog& log, std::shared_ptr<const Code>* code) {
      return ReadCodeFile(path, Bodies::kAtOnce, log, code);
    });
  });
}

CUresult cuLinkComplete(CUlinkState handle, void** out, std::size_t* size) {
  return WithLink(handle, [&](Link& link) {
    if (out == nullptr || link.code == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *out = const_cast<char*>(link.code->text.c_str());
    if (size != nullptr) *size = link.code->text.size() + 1;
    return CUDA_SUCCESS;
  });
}

CUresult cuLinkDestroy(CUlinkState handle) {
  return WithLink(handle, [](Link& link) {
    GetState().links.Erase(&link);
    return CUDA_SUCCESS;
  });
}
