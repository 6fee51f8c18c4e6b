// The clusters that kernels are launched in, and how their CTAs share operands.
#pragma once

namespace gemm::hopper {

// Bits of a set. kMxN has M CTAs along M, which share B, and N along N, which share A. Eight CTAs are the most that is portable.
enum Clusters : unsigned {
  kNone = 0,
  k1x1 = 1 << 0,  // a launch without clusters
  k2x1 = 1 << 1,
  k1x2 = 1 << 2,
  k4x1 = 1 << 3,
  k1x4 = 1 << 4,
  k2x2 = 1 << 5,
  k4x2 = 1 << 6,
  k2x4 = 1 << 7,
};

struct NamedCluster {
  Clusters bit;
  int m;
  int n;
};

inline constexpr NamedCluster kAllClusters[] = {
    {k1x1, 1, 1}, {k2x1, 2, 1}, {k1x2, 1, 2}, {k4x1, 4, 1},
    {k1x4, 1, 4}, {k2x2, 2, 2}, {k4x2, 4, 2}, {k2x4, 2, 4},
};

// Whether one of a set has CTAs that share A, or not, and CTAs that share B, or not.
constexpr bool HasCluster(unsigned clusters, bool shares_a, bool shares_b) {
  for (const NamedCluster& cluster : kAllClusters) {
    if ((clusters & cluster.bit) != 0 && (cluster.n > 1) == shares_a && (cluster.m > 1) == shares_b)
      return true;
  }
  return false;
}

// The cluster of a set of one; {kNone, 0, 0} of others.
constexpr NamedCluster OnlyCluster(unsigned clusters) {
  for (const NamedCluster& cluster : kAllClusters) {
    if (clusters == cluster.bit) return cluster;
  }
  return {kNone, 0, 0};
}

// Rank r of a cluster has the tile in row r % m and column r / m of the cluster's tiles. With split K a cluster is several times as
// large, and rank r has the place of r % (m n), and the part r / (m n) of K.
struct ClusterShape {
  unsigned m;
  unsigned n;
  unsigned m_log2;
  unsigned size_log2;  // of m n; 0: the launch has no clusters
};

// Rounded up; `value` is at most 2^31.
constexpr unsigned Log2(unsigned value) {
  unsigned log = 0;
  while (1u << log < value) ++log;
  return log;
}

// m and n are powers of two.
constexpr ClusterShape MakeClusterShape(int m, int n) {
  const auto rows = static_cast<unsigned>(m);
  const auto columns = static_cast<unsigned>(n);
  return {rows, columns, Log2(rows), Log2(rows * columns)};
}

}  // namespace gemm::hopper
