// What `gemm bench` was asked to do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemm/gemm.h"

namespace gemm::tool::bench {

// Sets of operands, however small they are.
inline constexpr int kMostSets = 1024;

struct Options {
  std::vector<std::string> shape_files;
  int random = 0;  // further products of random sizes
  std::vector<std::string> types = {"bf16"};
  std::string out_type;  // empty: the inputs'
  std::string versus = "cublaslt";
  std::string cublaslt_path;
  int rounds = 7;
  double burst_ms = 20;
  double settle_ms = 0;  // of bursts that are not recorded, before those that are
  bool screen = true;
  double screen_ms = 5;
  int keep = 3;  // of the rival's algorithms, and of our kernels under --kernels all, after screening
  double energy_ms = 500;
  float beta = 0;
  std::string kernel;
  Tuning tuning;
  std::string tuning_path;  // of its file; empty without
  std::string beside;       // another libgemm.so, whose choice is timed too; empty: none
  bool all_kernels = false;
  double within = 4;  // of our kernels, those predicted to take up to this many times the chosen one's time
  std::string edges = "plain";  // between our launches: plain or programmatic
  bool constant_b = false;      // PlanOptions::constant_b
  int most_sets = kMostSets;    // of operands
  int device = 0;
  std::uint64_t seed = 1;
  std::vector<std::string> out;

  bool programmatic() const { return edges == "programmatic"; }
};

// Algorithms asked of cuBLASLt's heuristics, and the workspace that it may use.
inline constexpr int kHeuristics = 8;
inline constexpr std::size_t kRivalWorkspace = std::size_t{64} << 20;

}  // namespace gemm::tool::bench
