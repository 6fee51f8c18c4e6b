// The cluster that a CTA runs in. A kernel with one cluster only (kernels.inc) knows it when it is compiled; others learn it from the
// launch.
#pragma once

#include "hopper/config.cuh"
#include "hopper/params.h"

namespace gemm::hopper {

template <class C>
__device__ __forceinline__ ClusterShape ShapeOf(const Params& params) {
  constexpr NamedCluster kOnly = OnlyCluster(C::kClusters);
  if constexpr (kOnly.bit != kNone) {
    return MakeClusterShape(kOnly.m, kOnly.n);
  } else {
    return params.cluster;
  }
}

// Whether the launch has no clusters.
template <class C>
__device__ __forceinline__ bool IsAlone(const Params& params) {
  return C::kEverAlone && ShapeOf<C>(params).size_log2 == 0;
}

}  // namespace gemm::hopper
