// Copies as actions.
#pragma once

#include "tools/emulator/driver/state.h"

namespace emu::driver {

// What an end of a copy must be.
enum class Side { kHost, kDevice, kAny };

// A copy of contiguous bytes. CUDA_ERROR_INVALID_VALUE when device memory is not where it should be.
CUresult MakeCopy(std::uint64_t to, Side to_side, std::uint64_t from, Side from_side, std::size_t bytes,
                  CopyAction* action);
// CUDA_ERROR_NOT_SUPPORTED for arrays.
CUresult MakeCopy(const CUDA_MEMCPY3D& parameters, CopyAction* action);
// A copy into the stream. Synchronous: it has been done when the call returns.
CUresult SubmitCopy(Stream& stream, CopyAction action, bool synchronous);

CUresult MakeFill(const CUDA_MEMSET_NODE_PARAMS& parameters, FillAction* action);

}  // namespace emu::driver
