// What cuBLASLt's numbers for an algorithm mean (cublasLt.h 13.0: cublasLtMatmulTile_t, cublasLtMatmulStages_t, cublasLtClusterShape_t).
#pragma once

#include <cstdint>
#include <string>

namespace gemm::rival {

// Rows x columns, "128x96" or "2x1". `swapped`: cuBLASLt computes D's transpose, and its rows are D's columns. A number that
// these versions do not have is given as it is: "id 702".
std::string TileText(std::uint32_t id, bool swapped);
std::string ClusterText(std::uint32_t id, bool swapped);

// Elements of K in a stage x stages: "64x4", "64xauto".
std::string StagesText(std::uint32_t id);

}  // namespace gemm::rival
