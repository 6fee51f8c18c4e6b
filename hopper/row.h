// A line of kernels.inc as a struct of named constants, the same for device and host code.
#pragma once

#include "hopper/config.cuh"

// "hopper_bf16_kk_128x256x64_s4_c2x1": names of rows and symbols of kernels alike.
#define GEMM_HOPPER_NAME(type, layout, schedule, tile_m, tile_n, stages, cluster_m, cluster_n)    \
  GEMM_HOPPER_SUFFIXED(                                                                           \
      hopper_##type##_##layout##_##tile_m##x##tile_n##x64_s##stages##_c##cluster_m##x##cluster_n, \
      GEMM_HOPPER_SUFFIX_##schedule)
// "hopper_bf16_kk_128x104x64_s7_any": symbols of kernels that take their cluster from the launch.
#define GEMM_HOPPER_ANY_NAME(type, layout, schedule, tile_m, tile_n, stages)                \
  GEMM_HOPPER_SUFFIXED(hopper_##type##_##layout##_##tile_m##x##tile_n##x64_s##stages##_any, \
                       GEMM_HOPPER_SUFFIX_##schedule)
// "hopper_bf16_kk_64x128x64_s4_anywhere", or "..._pk_anywhere".
#define GEMM_HOPPER_ANYWHERE_NAME(type, layout, schedule, tile_m, tile_n, stages)                          \
  GEMM_HOPPER_SUFFIXED(GEMM_HOPPER_SUFFIXED(hopper_##type##_##layout##_##tile_m##x##tile_n##x64_s##stages, \
                                            GEMM_HOPPER_SUFFIX_##schedule),                                \
                       _anywhere)
#define GEMM_HOPPER_SUFFIXED(name, suffix) GEMM_HOPPER_PASTED(name, suffix)
#define GEMM_HOPPER_PASTED(name, suffix) name##suffix
#define GEMM_HOPPER_SUFFIX_kCooperative
#define GEMM_HOPPER_SUFFIX_kPingpong _pp
#define GEMM_HOPPER_SUFFIX_kStreamK _sk
#define GEMM_HOPPER_SUFFIX_kSplitK _ck
#define GEMM_HOPPER_SUFFIX_kParallelSplitK _pk

// A row of the same kernel, which computes D's transpose.
#define GEMM_HOPPER_TRANSPOSED_NAME(...) GEMM_HOPPER_SUFFIXED(GEMM_HOPPER_NAME(__VA_ARGS__), _t)

// `type` is bf16 or fp16, `input` the InputType, `layout` kk, kn, mk or mn.
#define GEMM_HOPPER_DEFINE_ROW(type, input, layout, a_transposed, b_transposed, schedule, tile_m, tile_n, \
                               stages, cluster_m, cluster_n)                                              \
  GEMM_HOPPER_DEFINE_STRUCT(                                                                              \
      GEMM_HOPPER_NAME(type, layout, schedule, tile_m, tile_n, stages, cluster_m, cluster_n), input,      \
      a_transposed, b_transposed, schedule, tile_m, tile_n, stages, k##cluster_m##x##cluster_n, false)
#define GEMM_HOPPER_DEFINE_ANY_ROW(type, input, layout, a_transposed, b_transposed, schedule, tile_m, tile_n, \
                                   stages, clusters, transposing)                                             \
  GEMM_HOPPER_DEFINE_STRUCT(GEMM_HOPPER_ANY_NAME(type, layout, schedule, tile_m, tile_n, stages), input,      \
                            a_transposed, b_transposed, schedule, tile_m, tile_n, stages,                     \
                            (clusters) | (transposing), false)
#define GEMM_HOPPER_DEFINE_ANYWHERE_ROW(type, input, layout, a_transposed, b_transposed, schedule, tile_m,    \
                                        tile_n, stages)                                                       \
  GEMM_HOPPER_DEFINE_STRUCT(GEMM_HOPPER_ANYWHERE_NAME(type, layout, schedule, tile_m, tile_n, stages), input, \
                            a_transposed, b_transposed, schedule, tile_m, tile_n, stages, k1x1, true)
#define GEMM_HOPPER_DEFINE_STRUCT(name, input, a_transposed, b_transposed, schedule, tile_m, tile_n, stages, \
                                  clusters, starts_anywhere)                                                 \
  namespace gemm::hopper::rows {                                                                             \
  struct name {                                                                                              \
    static constexpr Schedule kSchedule = Schedule::schedule;                                                \
    static constexpr InputType kInput = InputType::input;                                                    \
    static constexpr bool kATransposed = a_transposed; /* M of A is contiguous, not K */                     \
    static constexpr bool kBTransposed = b_transposed; /* N of B is contiguous, not K */                     \
    static constexpr int kTileM = tile_m;                                                                    \
    static constexpr int kTileN = tile_n;                                                                    \
    static constexpr int kStages = stages;                                                                   \
    static constexpr unsigned kClusters = clusters;                                                          \
    static constexpr bool kStartsAnywhere = starts_anywhere;                                                 \
  };                                                                                                         \
  }
