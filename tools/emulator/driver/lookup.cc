// cuGetProcAddress.
#include <cstring>

#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/per_thread.h"

namespace emu::driver {
namespace {

struct Row {
  const char* name;
  int version;
  void* function;
  void* per_thread;  // null where there is no difference
};

// The casts check each function's type against cudaTypedefs.h.
template <class Pointer>
void* Checked(Pointer function) {
  return reinterpret_cast<void*>(function);
}

const Row kRows[] = {
#define EMU_FUNCTION(name, version, symbol) \
  {#name, version, Checked<PFN_##name##_v##version>(&symbol), nullptr},
#define EMU_STREAM_FUNCTION(name, version, symbol, suffix, count) \
  {#name, version, Checked<PFN_##name##_v##version>(&symbol),     \
   Checked<PFN_##name##_v##version>(&PerThread<&symbol>::Call)},
#include "tools/emulator/driver/functions.inc"
#undef EMU_STREAM_FUNCTION
#undef EMU_FUNCTION
    {"cuGetProcAddress", 11030, Checked<PFN_cuGetProcAddress_v11030>(&cuGetProcAddress), nullptr},
    {"cuGetProcAddress", 12000, Checked<PFN_cuGetProcAddress_v12000>(&cuGetProcAddress_v2), nullptr},
};

// The newest form of the function that the version knows.
CUdriverProcAddressQueryResult Find(const char* name, int version, bool per_thread, void** function) {
  const Row* best = nullptr;
  bool exists = false;
  for (const Row& row : kRows) {
    if (std::strcmp(row.name, name) != 0) continue;
    exists = true;
    if (row.version <= version && (best == nullptr || row.version > best->version)) best = &row;
  }
  if (best == nullptr) {
    return exists ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  *function = per_thread && best->per_thread != nullptr ? best->per_thread : best->function;
  return CU_GET_PROC_ADDRESS_SUCCESS;
}

}  // namespace
}  // namespace emu::driver

using namespace emu::driver;

CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  constexpr cuuint64_t kFlags =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (name == nullptr || function == nullptr || (flags & ~kFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  int known = 0;
  cuDriverGetVersion(&known);
  if (version < 2000 || version / 1000 > known / 1000) return CUDA_ERROR_INVALID_VALUE;
  *function = nullptr;
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  const CUdriverProcAddressQueryResult found = Find(name, version, per_thread, function);
  if (status != nullptr) *status = found;
  // Who asks for the status looks there.
  return found == CU_GET_PROC_ADDRESS_SUCCESS || status != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
