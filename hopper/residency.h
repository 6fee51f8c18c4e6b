// How many clusters a device runs at once.
#pragma once

#include <algorithm>

#include "common/dispatch/device.h"

namespace gemm::hopper {

// Clusters of `cluster` CTAs that are resident together, one CTA on each SM. A cluster lies in one GPC, so those of four and
// more leave SMs idle. An estimate: which SMs a chip lacks differs from one to the next, and the choice must not.
inline int ResidentClusters(int cluster, const dispatch::Device& device) {
  // An H200 held 66 clusters of 2, 30 of 4 and 15 of 8 (2026-11-21), and fewer than 20 of 6: 20 took twice the time of one round
  // (2026-11-24). GPCs of these sizes would, and 10 SMs that take no clusters of more than 2.
  constexpr int kSizes[] = {18, 16, 16, 16, 16, 16, 16, 8};
  int clusters = 0;
  if (device.sm_count == 132 && cluster > 2) {
    for (const int size : kSizes) clusters += size / cluster;
  } else {
    clusters = device.sm_count / 18 * (18 / cluster) + device.sm_count % 18 / cluster;
  }
  return std::max(clusters, 1);
}

}  // namespace gemm::hopper
