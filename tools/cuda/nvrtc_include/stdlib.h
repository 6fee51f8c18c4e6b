// NVRTC has no headers of the C library. cuda.h, whose types kernels take as parameters, asks for two of them; this one
// is needed for size_t alone, which NVRTC knows by itself.
