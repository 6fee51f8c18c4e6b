// cuMemcpy* and cuMemset*.
#include "tools/emulator/driver/capture.h"
#include "tools/emulator/driver/copy.h"
#include "tools/emulator/driver/entry.h"
#include "tools/emulator/driver/memory.h"
#include "tools/emulator/driver/queue.h"

namespace emu::driver {
namespace {

std::uint64_t Address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

CUresult Copy(std::uint64_t to, Side to_side, std::uint64_t from, Side from_side, std::size_t bytes,
              CUstream handle, bool synchronous) {
  return InContext([&](Context& context) -> CUresult {
    Stream* stream = nullptr;
    CopyAction copy;
    if (const CUresult result = FindStream(context, handle, &stream); result != CUDA_SUCCESS) return result;
    if (const CUresult result = MakeCopy(to, to_side, from, from_side, bytes, &copy); result != CUDA_SUCCESS)
      return result;
    return SubmitCopy(*stream, std::move(copy), synchronous);
  });
}

CUresult CopyBox(const CUDA_MEMCPY3D& box, CUstream handle, bool synchronous) {
  return InContext([&](Context& context) -> CUresult {
    Stream* stream = nullptr;
    CopyAction copy;
    if (const CUresult result = FindStream(context, handle, &stream); result != CUDA_SUCCESS) return result;
    if (const CUresult result = MakeCopy(box, &copy); result != CUDA_SUCCESS) return result;
    return SubmitCopy(*stream, std::move(copy), synchronous);
  });
}

CUDA_MEMCPY3D BoxOf(const CUDA_MEMCPY2D& copy) {
  CUDA_MEMCPY3D box{};
  box.srcXInBytes = copy.srcXInBytes;
  box.srcY = copy.srcY;
  box.srcMemoryType = copy.srcMemoryType;
  box.srcHost = copy.srcHost;
  box.srcDevice = copy.srcDevice;
  box.srcPitch = copy.srcPitch;
  box.dstXInBytes = copy.dstXInBytes;
  box.dstY = copy.dstY;
  box.dstMemoryType = copy.dstMemoryType;
  box.dstHost = copy.dstHost;
  box.dstDevice = copy.dstDevice;
  box.dstPitch = copy.dstPitch;
  box.WidthInBytes = copy.WidthInBytes;
  box.Height = copy.Height;
  box.Depth = 1;
  return box;
}

CUresult Fill(CUdeviceptr to, std::size_t pitch, unsigned value, unsigned element, std::size_t width,
              std::size_t height, CUstream handle, bool synchronous) {
  return InContext([&](Context& context) -> CUresult {
    Stream* stream = nullptr;
    FillAction fill;
    if (const CUresult result = FindStream(context, handle, &stream); result != CUDA_SUCCESS) return result;
    const CUDA_MEMSET_NODE_PARAMS parameters{to, pitch, value, element, width, height};
    if (const CUresult result = MakeFill(parameters, &fill); result != CUDA_SUCCESS) return result;
    if (synchronous) {
      if (const CUresult result = CheckSafe(); result != CUDA_SUCCESS) return result;
    }
    if (width == 0 || height == 0) return CUDA_SUCCESS;
    const CUresult result = Submit(*stream, fill);
    // Of device memory it is asynchronous even so; what the host can read itself is set when the call returns.
    std::uint64_t begin = 0;
    const Allocation* allocation = FindAllocation(to, &begin);
    const bool host_sees = allocation != nullptr && allocation->kind != Allocation::Kind::kDevice;
    return result == CUDA_SUCCESS && synchronous && host_sees ? Settle(*stream) : result;
  });
}

}  // namespace
}  // namespace emu::driver

using namespace emu::driver;

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return Copy(to, Side::kAny, from, Side::kAny, bytes, nullptr, true);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return Copy(to, Side::kAny, from, Side::kAny, bytes, stream, false);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  return Copy(to, Side::kDevice, Address(from), Side::kHost, bytes, nullptr, true);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  return Copy(to, Side::kDevice, Address(from), Side::kHost, bytes, stream, false);
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  return Copy(Address(to), Side::kHost, from, Side::kDevice, bytes, nullptr, true);
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return Copy(Address(to), Side::kHost, from, Side::kDevice, bytes, stream, false);
}
// Between device memories the host is not made to wait, in the synchronous form either.
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return Copy(to, Side::kDevice, from, Side::kDevice, bytes, nullptr, false);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return Copy(to, Side::kDevice, from, Side::kDevice, bytes, stream, false);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes) {
  return Copy(to, Side::kDevice, from, Side::kDevice, bytes, nullptr, true);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes,
                           CUstream stream) {
  return Copy(to, Side::kDevice, from, Side::kDevice, bytes, stream, false);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* copy) {
  return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : CopyBox(BoxOf(*copy), nullptr, true);
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* copy) { return cuMemcpy2D_v2(copy); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : CopyBox(BoxOf(*copy), stream, false);
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* copy) {
  return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : CopyBox(*copy, nullptr, true);
}
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : CopyBox(*copy, stream, false);
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, std::size_t count) {
  return Fill(to, 0, value, 1, count, 1, nullptr, true);
}
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, std::size_t count) {
  return Fill(to, 0, value, 2, count, 1, nullptr, true);
}
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, std::size_t count) {
  return Fill(to, 0, value, 4, count, 1, nullptr, true);
}
CUresult cuMemsetD2D8_v2(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                         std::size_t height) {
  return Fill(to, pitch, value, 1, width, height, nullptr, true);
}
CUresult cuMemsetD2D16_v2(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                          std::size_t height) {
  return Fill(to, pitch, value, 2, width, height, nullptr, true);
}
CUresult cuMemsetD2D32_v2(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                          std::size_t height) {
  return Fill(to, pitch, value, 4, width, height, nullptr, true);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
  return Fill(to, 0, value, 1, count, 1, stream, false);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream) {
  return Fill(to, 0, value, 2, count, 1, stream, false);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, std::size_t count, CUstream stream) {
  return Fill(to, 0, value, 4, count, 1, stream, false);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                           std::size_t height, CUstream stream) {
  return Fill(to, pitch, value, 1, width, height, stream, false);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                            std::size_t height, CUstream stream) {
  return Fill(to, pitch, value, 2, width, height, stream, false);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned value, std::size_t width,
                            std::size_t height, CUstream stream) {
  return Fill(to, pitch, value, 4, width, height, stream, false);
}
