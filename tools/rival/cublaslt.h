// cuBLASLt as a rival and a second oracle, loaded at run time: neither its headers nor its library are needed
// to build.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "gemm/gemm.h"
#include "tools/rival/cublaslt_abi.h"

namespace gemm::rival {

// The library and one handle. Immutable once loaded; never unloaded (NVIDIA's libraries do not support it).
class CublasLt {
 public:
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;
  CublasLt& operator=(const CublasLt&) = delete;

  // Opens libcublasLt.so.13 or .12. `path` is the library itself, or a folder that has it directly, in lib,
  // lib64 or nvidia/*/lib (a site-packages folder with PyTorch's wheels); empty searches where the dynamic
  // loader does (LD_LIBRARY_PATH included), then CUDA's usual folders. kUnsupported, naming what was tried,
  // when it is not there. Creates no handle: works without a GPU.
  static Status Load(const std::string& path, std::shared_ptr<CublasLt>* library);
  // Creates the handle; needs a current context. Called once, before the first Product.
  Status CreateHandle();

  // "13.1.0", and the file it came from.
  const std::string& version() const { return version_; }
  const std::string& path() const { return path_; }

 private:
  friend class Product;
  CublasLt() = default;
  Status Resolve(void* library);
  // Turns a status into a sentence that names the call.
  Status Check(abi::StatusValue value, const char* call) const;

  std::string version_;
  std::string path_;
  abi::Handle handle_ = nullptr;
  abi::Functions functions_;
};

// An algorithm that the heuristics propose.
struct Algorithm {
  abi::Algo algo;
  std::size_t workspace_bytes = 0;
  std::string description;  // "algo 66 tile 128x256 stages 64xauto cluster 1x2 split-k 1": of D (configuration.h)
};

// One problem as cuBLASLt sees it. FP32 inputs are multiplied in IEEE FP32 (CUBLAS_COMPUTE_32F_PEDANTIC). Not
// thread-safe.
class Product {
 public:
  Product() = default;
  ~Product();
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  // kUnsupported for types that cuBLASLt does not know. The problem is valid (gemm.h) and not empty, k > 0.
  Status Create(std::shared_ptr<const CublasLt> library, const Problem& problem);

  // At most `count` algorithms for operands aligned as the problem promises, fastest first by cuBLASLt's own
  // estimate. kUnsupported when it knows none.
  Status Heuristics(int count, std::size_t max_workspace, std::vector<Algorithm>* algorithms) const;

  // Launches in args.stream; `algorithm` null: cuBLASLt's own choice, made anew by every call. May be captured.
  Status Run(const Arguments& args, const Algorithm* algorithm) const;

 private:
  struct Operand;
  Status CreateLayout(const Operand& operand, abi::MatrixLayout* layout) const;
  Status CreateDesc(const Operand& first, const Operand& second);
  Status SetPreference(abi::Preference preference, std::size_t max_workspace) const;
  std::string Describe(const abi::Algo& algo) const;

  std::shared_ptr<const CublasLt> library_;
  Problem problem_;
  // D row-major is computed as its transpose, which is column-major, cuBLASLt's own order: A and B change
  // places.
  bool swapped_ = false;
  abi::MatmulDesc desc_ = nullptr;
  abi::MatrixLayout first_ = nullptr;
  abi::MatrixLayout second_ = nullptr;
  abi::MatrixLayout c_ = nullptr;
  abi::MatrixLayout d_ = nullptr;
};

}  // namespace gemm::rival
