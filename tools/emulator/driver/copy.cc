#include "tools/emulator/driver/copy.h"

#include <cstring>

#include "tools/emulator/driver/capture.h"
#include "tools/emulator/driver/memory.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

// Bytes from the first to behind the last of the box; 0 when that is no size.
std::uint64_t Extent(std::size_t width, std::size_t height, std::size_t depth, std::size_t pitch,
                     std::size_t slice) {
  if (width == 0 || height == 0 || depth == 0) return 0;
  std::uint64_t rows = 0, slices = 0, extent = 0;
  if (__builtin_mul_overflow(height - 1, pitch, &rows) || __builtin_mul_overflow(depth - 1, slice, &slices))
    return 0;
  if (__builtin_add_overflow(rows, slices, &extent) || __builtin_add_overflow(extent, width, &extent)) return 0;
  return extent;
}

std::uint64_t FromExtent(const CopyAction& copy) {
  return Extent(copy.width, copy.height, copy.depth, copy.from_pitch, copy.from_slice);
}
std::uint64_t ToExtent(const CopyAction& copy) {
  return Extent(copy.width, copy.height, copy.depth, copy.to_pitch, copy.to_slice);
}

bool Valid(std::uint64_t address, std::uint64_t extent, Side place) {
  if (address == 0) return false;
  // A host pointer may be any; memory that begins in an allocation of ours must end in it.
  std::uint64_t begin = 0, bytes = 0;
  const bool ours = GetState().memory->Find(address, &begin, &bytes);
  if (place == Side::kDevice && !ours) return false;
  return !ours || extent <= bytes - (address - begin);
}

struct End {
  std::uint64_t address = 0;
  std::size_t pitch = 0, slice = 0;
};

CUresult MakeEnd(CUmemorytype type, const void* host, CUdeviceptr device, std::size_t x, std::size_t y,
                 std::size_t z, std::size_t pitch, std::size_t height, const CUDA_MEMCPY3D& box, End* end) {
  if (type == CU_MEMORYTYPE_ARRAY) return CUDA_ERROR_NOT_SUPPORTED;
  const bool on_host = type == CU_MEMORYTYPE_HOST;
  if (!on_host && type != CU_MEMORYTYPE_DEVICE && type != CU_MEMORYTYPE_UNIFIED)
    return CUDA_ERROR_INVALID_VALUE;
  if (pitch == 0) pitch = x + box.WidthInBytes;
  if (height == 0) height = y + box.Height;
  if (x + box.WidthInBytes > pitch || (box.Depth > 1 && y + box.Height > height))
    return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t base = on_host ? reinterpret_cast<std::uint64_t>(host) : device;
  if (base == 0) return CUDA_ERROR_INVALID_VALUE;
  *end = {base + (z * height + y) * pitch + x, pitch, height * pitch};
  return CUDA_SUCCESS;
}

Side SideOf(CUmemorytype type) {
  return type == CU_MEMORYTYPE_HOST ? Side::kHost : type == CU_MEMORYTYPE_DEVICE ? Side::kDevice : Side::kAny;
}

// Memory that nobody has registered here is read before the call returns (CUDA Driver API, "API synchronization behavior").
void Stage(CopyAction* copy) {
  const std::uint64_t extent = FromExtent(*copy);
  copy->staged = std::make_shared<std::vector<std::byte>>(extent);
  std::memcpy(copy->staged->data(), reinterpret_cast<const void*>(copy->from), extent);
  copy->from = reinterpret_cast<std::uint64_t>(copy->staged->data());
}

}  // namespace

CUresult MakeCopy(std::uint64_t to, Side to_side, std::uint64_t from, Side from_side, std::size_t bytes,
                  CopyAction* action) {
  *action = {};
  action->width = bytes;
  action->to = to;
  action->from = from;
  if (bytes == 0) return CUDA_SUCCESS;
  CUDA_MEMCPY3D& parameters = action->parameters;
  parameters.WidthInBytes = bytes;
  parameters.Height = parameters.Depth = 1;
  parameters.srcMemoryType = from_side == Side::kHost     ? CU_MEMORYTYPE_HOST
                             : from_side == Side::kDevice ? CU_MEMORYTYPE_DEVICE
                                                          : CU_MEMORYTYPE_UNIFIED;
  parameters.dstMemoryType = to_side == Side::kHost     ? CU_MEMORYTYPE_HOST
                             : to_side == Side::kDevice ? CU_MEMORYTYPE_DEVICE
                                                        : CU_MEMORYTYPE_UNIFIED;
  parameters.srcHost = from_side == Side::kHost ? reinterpret_cast<const void*>(from) : nullptr;
  parameters.dstHost = to_side == Side::kHost ? reinterpret_cast<void*>(to) : nullptr;
  parameters.srcDevice = from_side == Side::kHost ? 0 : from;
  parameters.dstDevice = to_side == Side::kHost ? 0 : to;
  return Valid(to, bytes, to_side) && Valid(from, bytes, from_side) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult MakeCopy(const CUDA_MEMCPY3D& box, CopyAction* action) {
  *action = {};
  action->parameters = box;
  action->width = box.WidthInBytes;
  action->height = box.Height;
  action->depth = box.Depth;
  if (box.WidthInBytes == 0 || box.Height == 0 || box.Depth == 0) return CUDA_SUCCESS;
  End from, to;
  CUresult result = MakeEnd(box.srcMemoryType, box.srcHost, box.srcDevice, box.srcXInBytes, box.srcY, box.srcZ,
                            box.srcPitch, box.srcHeight, box, &from);
  if (result != CUDA_SUCCESS) return result;
  result = MakeEnd(box.dstMemoryType, box.dstHost, box.dstDevice, box.dstXInBytes, box.dstY, box.dstZ,
                   box.dstPitch, box.dstHeight, box, &to);
  if (result != CUDA_SUCCESS) return result;
  action->from = from.address;
  action->from_pitch = from.pitch;
  action->from_slice = from.slice;
  action->to = to.address;
  action->to_pitch = to.pitch;
  action->to_slice = to.slice;
  const std::uint64_t from_extent = FromExtent(*action), to_extent = ToExtent(*action);
  const bool valid = from_extent != 0 && to_extent != 0 &&
                     Valid(action->from, from_extent, SideOf(box.srcMemoryType)) &&
                     Valid(action->to, to_extent, SideOf(box.dstMemoryType));
  return valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult SubmitCopy(Stream& stream, CopyAction copy, bool synchronous) {
  const bool empty = FromExtent(copy) == 0;
  if (stream.capture != nullptr) {
    if (synchronous) return CheckNotCapturing(stream);
    return Submit(stream, std::move(copy));
  }
  if (synchronous) {
    if (const CUresult result = CheckSafe(); result != CUDA_SUCCESS) return result;
  }
  if (empty) return synchronous ? Settle(stream) : stream.context->error;
  const bool from_pageable = !OnDevice(copy.from, 1);
  const bool to_pageable = !OnDevice(copy.to, 1);
  if (from_pageable && !to_pageable && !synchronous) Stage(&copy);
  const CUresult result = Submit(stream, std::move(copy));
  if (result != CUDA_SUCCESS) return result;
  return synchronous || to_pageable ? Settle(stream) : CUDA_SUCCESS;
}

CUresult MakeFill(const CUDA_MEMSET_NODE_PARAMS& parameters, FillAction* action) {
  const unsigned element = parameters.elementSize;
  if (element != 1 && element != 2 && element != 4) return CUDA_ERROR_INVALID_VALUE;
  *action = {parameters.dst, parameters.pitch, parameters.width, parameters.height, parameters.value, element};
  if (parameters.width == 0 || parameters.height == 0) return CUDA_SUCCESS;
  std::uint64_t row = 0;
  if (__builtin_mul_overflow(parameters.width, std::size_t{element}, &row)) return CUDA_ERROR_INVALID_VALUE;
  if (parameters.dst % element != 0) return CUDA_ERROR_INVALID_VALUE;
  if (parameters.height > 1 && (parameters.pitch % element != 0 || parameters.pitch < row))
    return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t extent = Extent(row, parameters.height, 1, parameters.pitch, 0);
  return extent != 0 && OnDevice(parameters.dst, extent) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace emu::driver
