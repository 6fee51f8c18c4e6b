// The part of cuBLASLt's C ABI that the rival needs, declared here so that no NVIDIA header is: names, values
// and struct sizes as documented in the cuBLAS library guide, "Using the cuBLASLt API". They are the same in
// versions 12 and 13.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gemm::rival::abi {

using Handle = struct HandleOpaque*;
using MatmulDesc = struct MatmulDescOpaque*;
using MatrixLayout = struct MatrixLayoutOpaque*;
using Preference = struct PreferenceOpaque*;
using StatusValue = int;  // cublasStatus_t; 0 is success

struct Algo {  // cublasLtMatmulAlgo_t
  std::uint64_t data[8];
};

struct HeuristicResult {  // cublasLtMatmulHeuristicResult_t
  Algo algo;
  std::size_t workspace_size;
  StatusValue state;
  float waves_count;
  int reserved[4];
};
static_assert(sizeof(HeuristicResult) == 96);

enum DataTypeValue : int { kR32F = 0, kR16F = 2, kR16BF = 14 };  // cudaDataType_t
enum ComputeTypeValue : int {
  kCompute32F = 68,
  kCompute32FPedantic = 69,
  kCompute32FFastTF32 = 77
};                                                 // cublasComputeType_t
enum OperationValue : int { kOpN = 0, kOpT = 1 };  // cublasOperation_t
enum MatmulDescAttribute : int { kDescTransA = 3, kDescTransB = 4 };
enum MatrixLayoutAttribute : int { kLayoutBatchCount = 5, kLayoutStridedBatchOffset = 6 };
enum PreferenceAttribute : int {
  kPrefMaxWorkspaceBytes = 1,
  kPrefMinAlignmentABytes = 5,
  kPrefMinAlignmentBBytes = 6,
  kPrefMinAlignmentCBytes = 7,
  kPrefMinAlignmentDBytes = 8,
};
enum AlgoAttribute : int {
  kAlgoId = 0,       // int32
  kAlgoTile = 1,     // uint32
  kAlgoSplitK = 2,   // int32
  kAlgoStages = 6,   // uint32
  kAlgoCluster = 8,  // uint16
};

// X(name behind "cublasLt", parameters): the functions that return a StatusValue.
#define GEMM_CUBLASLT_FUNCTIONS(X)                                                                            \
  X(Create, (Handle*))                                                                                        \
  X(Destroy, (Handle))                                                                                        \
  X(MatmulDescCreate, (MatmulDesc*, int compute, int scale_type))                                             \
  X(MatmulDescDestroy, (MatmulDesc))                                                                          \
  X(MatmulDescSetAttribute, (MatmulDesc, int attribute, const void*, std::size_t))                            \
  X(MatrixLayoutCreate, (MatrixLayout*, int type, std::uint64_t rows, std::uint64_t cols, std::int64_t ld))   \
  X(MatrixLayoutDestroy, (MatrixLayout))                                                                      \
  X(MatrixLayoutSetAttribute, (MatrixLayout, int attribute, const void*, std::size_t))                        \
  X(MatmulPreferenceCreate, (Preference*))                                                                    \
  X(MatmulPreferenceDestroy, (Preference))                                                                    \
  X(MatmulPreferenceSetAttribute, (Preference, int attribute, const void*, std::size_t))                      \
  X(MatmulAlgoGetHeuristic, (Handle, MatmulDesc, MatrixLayout a, MatrixLayout b, MatrixLayout c,              \
                             MatrixLayout d, Preference, int requested, HeuristicResult*, int* returned))     \
  X(MatmulAlgoConfigGetAttribute, (const Algo*, int attribute, void*, std::size_t, std::size_t* written))     \
  X(Matmul, (Handle, MatmulDesc, const void* alpha, const void* a, MatrixLayout, const void* b, MatrixLayout, \
             const void* beta, const void* c, MatrixLayout, void* d, MatrixLayout, const Algo*,               \
             void* workspace, std::size_t workspace_size, void* stream))

struct Functions {
#define GEMM_CUBLASLT_MEMBER(name, parameters) StatusValue(*name) parameters = nullptr;
  GEMM_CUBLASLT_FUNCTIONS(GEMM_CUBLASLT_MEMBER)
#undef GEMM_CUBLASLT_MEMBER
  const char* (*GetStatusName)(StatusValue) = nullptr;
  std::size_t (*GetVersion)() = nullptr;
};

}  // namespace gemm::rival::abi
