// A libcublasLt.so.13 for tests without a GPU. It knows of the library what tools/rival uses, takes host
// addresses and multiplies at once, by the rules of the cuBLASLt documentation (column-major matrices, op(A)
// op(B)), so that the rival's mapping of layouts can be compared with the oracle. Not compared with the real
// library.
//
// GEMM_FAKE_CUBLASLT_LOG=FILE appends a line for each product: D's rows and columns, and its address.
// GEMM_FAKE_CUBLASLT_PRODUCTS=N computes the first N and nothing after them.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/support/numerics.h"
#include "tools/rival/cublaslt_abi.h"

namespace abi = gemm::rival::abi;

namespace gemm::rival::abi {
struct HandleOpaque {};
struct MatmulDescOpaque {
  int compute = 0;
  std::int32_t transpose_a = kOpN;
  std::int32_t transpose_b = kOpN;
};
struct MatrixLayoutOpaque {
  DataType type = DataType::kFP32;
  std::uint64_t rows = 0;
  std::uint64_t cols = 0;
  std::int64_t ld = 0;
  std::int32_t batch = 1;
  std::int64_t stride = 0;

  double At(const void* data, std::int64_t b, std::uint64_t i, std::uint64_t j) const {
    return tests::Load(type, data,
                       b * stride + static_cast<std::int64_t>(i) + static_cast<std::int64_t>(j) * ld);
  }
};
struct PreferenceOpaque {
  std::uint64_t workspace = 0;
};
}  // namespace gemm::rival::abi

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidValue = 7;
constexpr int kNotSupported = 15;
constexpr int kAlgorithms = 3;

double OpAt(const abi::MatrixLayoutOpaque& layout, int op, const void* data, std::int64_t b, std::uint64_t i,
            std::uint64_t j) {
  return op == abi::kOpT ? layout.At(data, b, j, i) : layout.At(data, b, i, j);
}

void Log(const abi::MatrixLayoutOpaque& layout, const void* d) {
  const char* path = std::getenv("GEMM_FAKE_CUBLASLT_LOG");
  std::FILE* file = path != nullptr ? std::fopen(path, "a") : nullptr;
  if (file == nullptr) return;
  std::fprintf(file, "%llu %llu %p\n", static_cast<unsigned long long>(layout.rows),
               static_cast<unsigned long long>(layout.cols), d);
  std::fclose(file);
}

// Counts the calls.
bool Computes() {
  static int products = 0;
  const char* most = std::getenv("GEMM_FAKE_CUBLASLT_PRODUCTS");
  return most == nullptr || products++ < std::atoi(most);
}

}  // namespace

extern "C" {

std::size_t cublasLtGetVersion() { return 130203; }
const char* cublasLtGetStatusName(int status) {
  return status == kNotSupported ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS_FAKE";
}

int cublasLtCreate(abi::Handle* handle) {
  *handle = new abi::HandleOpaque;
  return kSuccess;
}
int cublasLtDestroy(abi::Handle handle) {
  delete handle;
  return kSuccess;
}

int cublasLtMatmulDescCreate(abi::MatmulDesc* desc, int compute, int scale) {
  if (scale != abi::kR32F) return kInvalidValue;
  *desc = new abi::MatmulDescOpaque{compute};
  return kSuccess;
}
int cublasLtMatmulDescDestroy(abi::MatmulDesc desc) {
  delete desc;
  return kSuccess;
}
int cublasLtMatmulDescSetAttribute(abi::MatmulDesc desc, int attribute, const void* value, std::size_t size) {
  if (size != 4 || (attribute != abi::kDescTransA && attribute != abi::kDescTransB)) return kInvalidValue;
  std::memcpy(attribute == abi::kDescTransA ? &desc->transpose_a : &desc->transpose_b, value, 4);
  return kSuccess;
}

int cublasLtMatrixLayoutCreate(abi::MatrixLayout* layout, int type, std::uint64_t rows, std::uint64_t cols,
                               std::int64_t ld) {
  if (ld < static_cast<std::int64_t>(rows)) return kInvalidValue;
  const gemm::DataType known = type == abi::kR32F   ? gemm::DataType::kFP32
                               : type == abi::kR16F ? gemm::DataType::kFP16
                                                    : gemm::DataType::kBF16;
  *layout = new abi::MatrixLayoutOpaque{known, rows, cols, ld};
  return kSuccess;
}
int cublasLtMatrixLayoutDestroy(abi::MatrixLayout layout) {
  delete layout;
  return kSuccess;
}
int cublasLtMatrixLayoutSetAttribute(abi::MatrixLayout layout, int attribute, const void* value,
                                     std::size_t size) {
  if (attribute == abi::kLayoutBatchCount && size == 4) {
    std::memcpy(&layout->batch, value, 4);
  } else if (attribute == abi::kLayoutStridedBatchOffset && size == 8) {
    std::memcpy(&layout->stride, value, 8);
  } else {
    return kInvalidValue;
  }
  return kSuccess;
}

int cublasLtMatmulPreferenceCreate(abi::Preference* preference) {
  *preference = new abi::PreferenceOpaque;
  return kSuccess;
}
int cublasLtMatmulPreferenceDestroy(abi::Preference preference) {
  delete preference;
  return kSuccess;
}
int cublasLtMatmulPreferenceSetAttribute(abi::Preference preference, int attribute, const void* value,
                                         std::size_t size) {
  if (attribute == abi::kPrefMaxWorkspaceBytes && size == 8) {
    std::memcpy(&preference->workspace, value, 8);
    return kSuccess;
  }
  const bool alignment = attribute >= abi::kPrefMinAlignmentABytes && attribute <= abi::kPrefMinAlignmentDBytes;
  return alignment && size == 4 ? kSuccess : kInvalidValue;
}

// Answers a few algorithms; the second of them says that it does not fit, as the real library may.
int cublasLtMatmulAlgoGetHeuristic(abi::Handle, abi::MatmulDesc desc, abi::MatrixLayout a, abi::MatrixLayout,
                                   abi::MatrixLayout, abi::MatrixLayout d, abi::Preference preference,
                                   int requested, abi::HeuristicResult* results, int* returned) {
  // As the real library: FP16 in, BF16 out is not supported.
  if (a->type == gemm::DataType::kFP16 && d->type == gemm::DataType::kBF16) return kNotSupported;
  const bool for_fp32 = desc->compute == abi::kCompute32FPedantic || desc->compute == abi::kCompute32FFastTF32;
  if ((a->type == gemm::DataType::kFP32) != for_fp32) return kInvalidValue;
  // One for TF32, so that a test sees which compute type was asked for.
  *returned = std::min(requested, desc->compute == abi::kCompute32FFastTF32 ? 1 : kAlgorithms);
  for (int i = 0; i < *returned; ++i) {
    results[i] = {};
    results[i].algo.data[0] = static_cast<std::uint64_t>(i);
    results[i].workspace_size = std::min<std::size_t>(1024, preference->workspace);
    results[i].state = i == 1 ? kNotSupported : kSuccess;
  }
  return kSuccess;
}

int cublasLtMatmulAlgoConfigGetAttribute(const abi::Algo* algo, int attribute, void* value, std::size_t size,
                                         std::size_t* written) {
  std::memset(value, 0, size);
  const std::uint16_t answer = static_cast<std::uint16_t>(100 * attribute + static_cast<int>(algo->data[0]));
  std::memcpy(value, &answer, sizeof answer);
  *written = size;
  return kSuccess;
}

int cublasLtMatmul(abi::Handle handle, abi::MatmulDesc desc, const void* alpha, const void* a,
                   abi::MatrixLayout a_layout, const void* b, abi::MatrixLayout b_layout, const void* beta,
                   const void* c, abi::MatrixLayout c_layout, void* d, abi::MatrixLayout d_layout,
                   const abi::Algo*, void*, std::size_t, void*) {
  if (handle == nullptr) return kInvalidValue;
  const float factor = *static_cast<const float*>(alpha);
  const float keep = *static_cast<const float*>(beta);
  const std::uint64_t inner = desc->transpose_a == abi::kOpT ? a_layout->rows : a_layout->cols;
  const std::uint64_t other = desc->transpose_b == abi::kOpT ? b_layout->cols : b_layout->rows;
  if (inner != other) return kInvalidValue;
  Log(*d_layout, d);
  if (!Computes()) return kSuccess;
  for (std::int64_t batch = 0; batch < d_layout->batch; ++batch) {
    for (std::uint64_t j = 0; j < d_layout->cols; ++j) {
      for (std::uint64_t i = 0; i < d_layout->rows; ++i) {
        double sum = 0;
        for (std::uint64_t k = 0; k < inner; ++k) {
          sum += OpAt(*a_layout, desc->transpose_a, a, batch, i, k) *
                 OpAt(*b_layout, desc->transpose_b, b, batch, k, j);
        }
        sum *= factor;
        if (keep != 0) sum += keep * c_layout->At(c, batch, i, j);
        const std::int64_t at = batch * d_layout->stride + static_cast<std::int64_t>(i) +
                                static_cast<std::int64_t>(j) * d_layout->ld;
        gemm::tests::Store(d_layout->type, d, at, static_cast<float>(sum));
      }
    }
  }
  return kSuccess;
}

}  // extern "C"
