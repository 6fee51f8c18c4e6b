// Device code embedded in the binary, as the build rule cuda_kernels makes it (tools/cuda/README.md).
#ifndef COMMON_DRIVER_IMAGE_H_
#define COMMON_DRIVER_IMAGE_H_

#include <cstddef>

namespace gemm::driver {

// One .cu file compiled for one architecture, or what is derived of one.
struct Code {
  const char* source;  // name of the .cu file, without folder and extension, or of what is derived
  const char* target;  // "sm_90a" of a cubin, "compute_80" of PTX
  const void* data;    // PTX that is not packed ends with a NUL, which `size` leaves out
  size_t size;         // of data, in bytes
  bool is_ptx;
  bool is_packed = false;      // unpack.h reads it; all that cuda_kernels embeds is
  const Code* base = nullptr;  // the code that it is packed against, if any, which is unpacked first
};

// All codes of one cuda_kernels target. Static storage: the address identifies the image.
struct Image {
  const char* name;   // of the target
  const Code* codes;  // grouped by source; within one, cubins first
  size_t count;
};

}  // namespace gemm::driver

#endif  // COMMON_DRIVER_IMAGE_H_
