// alpha and beta as a kernel parameter: by value, or where to read them.
#pragma once

namespace gemm::device {

// Shared by host and device code; keep it plain. Passed by value inside each kernel's parameters.
struct Scalars {
  float alpha;
  float beta;
  const float* alpha_device;  // not null: read the scalar there instead, after griddepcontrol.wait
  const float* beta_device;
};

#ifdef __CUDACC__
struct AlphaBeta {
  float alpha;
  float beta;

  // alpha sum + beta c; `c`, an FP32 value, is not looked at where beta is 0.
  __device__ __forceinline__ float Blend(float sum, float c) const {
    const float value = alpha * sum;
    return beta != 0.0f ? fmaf(beta, c, value) : value;
  }
};

// To be called once per thread; both loads are uniform over the grid and stay in the L2.
__device__ __forceinline__ AlphaBeta ReadScalars(const Scalars& scalars) {
  return {scalars.alpha_device != nullptr ? *scalars.alpha_device : scalars.alpha,
          scalars.beta_device != nullptr ? *scalars.beta_device : scalars.beta};
}

// The same where K may be 0: there is no product then, D = beta C, and an alpha that is Inf or NaN must not make a NaN of it.
// `k` lies in the parameters: by reference, it is read behind the scalars.
template <typename Integer>
__device__ __forceinline__ AlphaBeta ReadScalars(const Scalars& scalars, const Integer& k) {
  AlphaBeta read = ReadScalars(scalars);
  if (k == 0) read.alpha = 0;
  return read;
}
#endif

}  // namespace gemm::device
