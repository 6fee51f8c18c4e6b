#include "common/problem/problem.h"

#include <algorithm>

#include "common/base/data_type.h"
#include "common/base/math.h"
#include "common/base/status.h"

namespace gemm::problem {
namespace {

using base::Concat;
using base::ElementBytes;
using base::InvalidArgument;
using base::Unsupported;

constexpr std::int64_t kVectorBytes = 16;

// A matrix in its own terms: `outer` lines of `inner` contiguous elements, `ld` apart, nothing left at a
// default.
struct Lines {
  // Whether any address depends on the leading dimension.
  bool ld_counts() const { return outer > 1 && inner > 0; }

  std::int64_t outer = 0;
  std::int64_t inner = 0;
  std::int64_t ld = 0;
  std::int64_t batch_stride = 0;
};

Status CheckSize(const char* name, std::int64_t value) {
  if (value >= 0) return Status();
  return InvalidArgument("problem.", name, " is ", value, "; it must be 0 or more");
}

Status CheckEnums(const Problem& p) {
  if (p.compute != ComputeType::kTensor && p.compute != ComputeType::kFP32 && p.compute != ComputeType::kTF32) {
    return InvalidArgument("problem.compute is ", static_cast<int>(p.compute),
                           "; it must be ComputeType::kTensor, kFP32 or kTF32");
  }
  if (p.scalars != ScalarMode::kHost && p.scalars != ScalarMode::kDevice) {
    return InvalidArgument("problem.scalars is ", static_cast<int>(p.scalars),
                           "; it must be ScalarMode::kHost or kDevice");
  }
  return Status();
}

Status CheckType(const char* name, DataType type) {
  switch (type) {
    case DataType::kFP32:
    case DataType::kFP16:
    case DataType::kBF16:
      return Status();
    case DataType::kFP8E4M3:
    case DataType::kFP8E5M2:
      return Unsupported("problem.", name, ".type is ", Name(type), ", for which libgemm ", Version(),
                         " has no kernel yet; fp32, fp16 and bf16 are supported");
  }
  return InvalidArgument("problem.", name, ".type is ", static_cast<int>(type),
                         ", which is no DataType; fp32, fp16 and bf16 are supported");
}

// Layout, leading dimension, batch stride, alignment and extent of a `rows` x `cols` operand.
Status ResolveLines(const char* name, const Matrix& matrix, std::int64_t rows, std::int64_t cols,
                    std::int64_t batch, Lines* lines) {
  if (matrix.layout != Layout::kRowMajor && matrix.layout != Layout::kColumnMajor) {
    return InvalidArgument("problem.", name, ".layout is ", static_cast<int>(matrix.layout),
                           "; it must be Layout::kRowMajor or kColumnMajor");
  }
  const bool row_major = matrix.layout == Layout::kRowMajor;
  lines->outer = row_major ? rows : cols;
  lines->inner = row_major ? cols : rows;
  lines->ld = matrix.ld == 0 ? lines->inner : matrix.ld;
  if (lines->ld < lines->inner) {
    return InvalidArgument("problem.", name, ".ld is ", matrix.ld, "; a ", Name(matrix.layout), " ", rows,
                           " x ", cols, " matrix needs ", lines->inner, " or more, or 0 for packed");
  }
  const int bytes = ElementBytes(matrix.type);
  if (!base::IsPowerOfTwo(matrix.alignment) || matrix.alignment < bytes) {
    return InvalidArgument("problem.", name, ".alignment is ", matrix.alignment,
                           "; it must be a power of two of ", bytes, " bytes (one ", Name(matrix.type),
                           " element) or more");
  }
  if (matrix.batch_stride < 0 && matrix.batch_stride != kPacked) {
    return InvalidArgument("problem.", name, ".batch_stride is ", matrix.batch_stride,
                           "; it must be 0 or more, or kPacked");
  }
  const auto too_large = [&] {
    return InvalidArgument("problem.", name, " of ", batch, " x ", rows, " x ", cols, " with ld ", lines->ld,
                           " and batch_stride ", matrix.batch_stride,
                           " spans more bytes than std::int64_t counts; it must span at most 2^63 - 1");
  };
  std::int64_t whole = 0;  // lines with their padding, as kPacked counts
  if (!base::CheckedMultiply(lines->outer, lines->ld, &whole)) return too_large();
  lines->batch_stride = batch <= 1 ? 0 : matrix.batch_stride == kPacked ? whole : matrix.batch_stride;
  std::int64_t extent = 0;
  if (!base::CheckedMultiply(std::max<std::int64_t>(batch - 1, 0), lines->batch_stride, &extent) ||
      !base::CheckedAdd(extent, whole, &extent) || !base::CheckedMultiply(extent, bytes, &extent)) {
    return too_large();
  }
  return Status();
}

// The matrices of D may follow one another or lie side by side within one leading dimension.
Status CheckNoOverlap(const Matrix& d, const Lines& lines, std::int64_t batch) {
  if (batch <= 1 || lines.outer == 0 || lines.inner == 0) return Status();
  const std::int64_t extent = (lines.outer - 1) * lines.ld + lines.inner;
  if (lines.batch_stride >= extent) return Status();
  const bool side_by_side =
      lines.batch_stride >= lines.inner && (batch - 1) * lines.batch_stride + lines.inner <= lines.ld;
  if (side_by_side) return Status();
  return InvalidArgument("problem.d.batch_stride is ", d.batch_stride, ", at which the ", batch,
                         " matrices of D overlap; it must be ", extent, " or more, or at least ", lines.inner,
                         " with all of them side by side within ld ", lines.ld);
}

// What an address promised to be a multiple of `promised`, every line and every matrix of the batch are
// multiples of.
std::int32_t Alignment(std::int64_t promised, const Lines& lines, std::int64_t batch, int bytes) {
  std::int64_t alignment = std::min<std::int64_t>(promised, kVectorBytes);
  if (lines.ld_counts()) alignment = base::PowerOfTwoFactor(lines.ld * bytes, alignment);
  if (batch > 1) alignment = base::PowerOfTwoFactor(lines.batch_stride * bytes, alignment);
  return static_cast<std::int32_t>(alignment);
}

// A leading dimension that nothing depends on becomes one that every copy engine takes.
std::int64_t HarmlessLd(const Lines& lines, int bytes) {
  if (lines.ld_counts()) return lines.ld;
  if (lines.outer == 0) return kVectorBytes / bytes;
  return base::RoundUp<std::int64_t>(std::max<std::int64_t>(lines.inner, 1), kVectorBytes / bytes);
}

// A single row is taken as two are: with one, the leading dimension would not count for alignments, and a packed column could be named a row,
// so that other kernels, which may sum in another order, could run.
void AsOfTwoRows(const Matrix& matrix, Lines* lines) {
  std::int64_t& rows = matrix.layout == Layout::kRowMajor ? lines->outer : lines->inner;
  if (rows == 1) rows = 2;
}

// `row_major_major` is what is contiguous when the operand is row-major.
Input MakeInput(const Matrix& matrix, Lines lines, std::int64_t batch, Major row_major_major) {
  const Major other = row_major_major == Major::kK ? Major::kMN : Major::kK;
  Major major = matrix.layout == Layout::kRowMajor ? row_major_major : other;
  if (lines.inner == 1 && lines.ld == 1 && lines.outer > 1) {  // one contiguous line, whichever way it is named
    std::swap(lines.outer, lines.inner);
    major = major == Major::kK ? Major::kMN : Major::kK;
  }
  const int bytes = ElementBytes(matrix.type);
  Input input;
  input.major = major;
  input.ld = HarmlessLd(lines, bytes);
  input.batch_stride = lines.batch_stride;
  input.alignment = Alignment(matrix.alignment, lines, batch, bytes);
  return input;
}

// `along_row`: in the frame after the swap, the contiguous direction runs along a row of the result.
Output MakeOutput(const Matrix& matrix, Lines lines, std::int64_t batch, bool along_row) {
  if (!along_row && (lines.outer == 1 || (lines.inner == 1 && lines.ld == 1))) {
    // A single column, or a single row stored densely: the same addresses, read along a row.
    if (lines.outer == 1) {
      lines = {lines.inner, 1, 1, lines.batch_stride};
    } else {
      lines = {1, lines.outer, lines.outer, lines.batch_stride};
    }
    along_row = true;
  }
  const int bytes = ElementBytes(matrix.type);
  const std::int64_t ld = HarmlessLd(lines, bytes);
  Output output;
  output.along_row = along_row;
  output.row_stride = along_row ? ld : 1;
  output.col_stride = along_row ? 1 : ld;
  output.batch_stride = lines.batch_stride;
  output.alignment = Alignment(matrix.alignment, lines, batch, bytes);
  return output;
}

// Why beta must be 0, or OK: the rules for C, which count only where C is read.
Status CheckC(const Problem& p, Lines* lines) {
  if (Status status = CheckType("c", p.c.type); !status.ok()) return status;
  if (p.c.type != p.d.type) {
    return Unsupported("problem.c.type is ", Name(p.c.type), " and problem.d.type is ", Name(p.d.type),
                       "; they must be the same where beta is not 0");
  }
  return ResolveLines("c", p.c, p.m, p.n, p.batch, lines);
}

// The caller's operands, checked.
struct Operands {
  Lines a, b, c, d;
  Status c_status;  // Normalized::c_status; where it is not OK, `c` means nothing
};

// Checks every rule stated at gemm::Problem.
Status ResolveOperands(const Problem& p, Operands* operands) {
  if (Status status = CheckSize("m", p.m); !status.ok()) return status;
  if (Status status = CheckSize("n", p.n); !status.ok()) return status;
  if (Status status = CheckSize("k", p.k); !status.ok()) return status;
  if (Status status = CheckSize("batch", p.batch); !status.ok()) return status;
  if (Status status = CheckEnums(p); !status.ok()) return status;
  if (Status status = CheckType("a", p.a.type); !status.ok()) return status;
  if (Status status = CheckType("b", p.b.type); !status.ok()) return status;
  if (Status status = CheckType("d", p.d.type); !status.ok()) return status;
  if (p.a.type != p.b.type) {
    return Unsupported("problem.a.type is ", Name(p.a.type), " and problem.b.type is ", Name(p.b.type),
                       "; they must be the same");
  }
  if (Status status = ResolveLines("a", p.a, p.m, p.k, p.batch, &operands->a); !status.ok()) return status;
  if (Status status = ResolveLines("b", p.b, p.k, p.n, p.batch, &operands->b); !status.ok()) return status;
  if (Status status = ResolveLines("d", p.d, p.m, p.n, p.batch, &operands->d); !status.ok()) return status;
  if (Status status = CheckNoOverlap(p.d, operands->d, p.batch); !status.ok()) return status;
  operands->c_status = CheckC(p, &operands->c);
  return p.scalars == ScalarMode::kDevice ? operands->c_status : Status();
}

// Names the operands as kernels see them; what PlanOptions ask for is left alone.
Normalized ForKernels(const Problem& p, Operands operands) {
  Normalized out;
  // A column-major D of one dense row is row-major just as well.
  const bool d_is_one_dense_row = operands.d.inner == 1 && operands.d.ld == 1;
  const bool column_major_d = p.d.layout == Layout::kColumnMajor;
  out.swapped = column_major_d && !d_is_one_dense_row;
  out.m = out.swapped ? p.n : p.m;
  out.n = out.swapped ? p.m : p.n;
  out.k = p.k;
  out.batch = p.batch;
  out.input_type = p.a.type;
  out.output_type = p.d.type;
  // Other inputs than FP32 are exact in TF32 or in FP32 products anyway.
  out.compute =
      p.compute == ComputeType::kTF32 && p.a.type != DataType::kFP32 ? ComputeType::kTensor : p.compute;
  out.scalars = p.scalars;
  out.a = MakeInput(p.a, operands.a, p.batch, Major::kK);
  out.b = MakeInput(p.b, operands.b, p.batch, Major::kMN);
  out.a_address_alignment = p.a.alignment;
  out.b_address_alignment = p.b.alignment;
  if (out.swapped) {
    std::swap(out.a, out.b);
    std::swap(out.a_address_alignment, out.b_address_alignment);
  }
  out.d = MakeOutput(p.d, operands.d, p.batch, column_major_d == out.swapped);
  out.d_address_alignment = p.d.alignment;
  if (operands.c_status.ok()) {
    out.c = MakeOutput(p.c, operands.c, p.batch, (p.c.layout == Layout::kColumnMajor) == out.swapped);
    out.c_address_alignment = p.c.alignment;
  } else {
    out.c = out.d;
    out.c_address_alignment = p.d.alignment;
  }
  out.c_status = std::move(operands.c_status);
  return out;
}

void AppendInput(std::string* out, const char* name, const Input& input) {
  out->append(Concat(" ", name, "=", input.major == Major::kK ? "K" : "MN", "/ld", input.ld, "/align",
                     input.alignment, input.readable_early ? "/early" : ""));
}

}  // namespace

bool LaunchesEarly(const PlanOptions& options) { return options.programmatic_launch && options.max_sms == 0; }

Status Normalize(const Problem& p, const PlanOptions& options, Normalized* normalized) {
  Operands operands;
  if (Status status = ResolveOperands(p, &operands); !status.ok()) return status;
  if (options.batch_invariant) {
    AsOfTwoRows(p.a, &operands.a);
    AsOfTwoRows(p.c, &operands.c);
    AsOfTwoRows(p.d, &operands.d);
  }
  Normalized out = ForKernels(p, std::move(operands));
  out.batch_invariant = options.batch_invariant;
  (out.swapped ? out.a : out.b).readable_early = LaunchesEarly(options) && options.constant_b;
  *normalized = std::move(out);
  return Status();
}

Status Normalize(const Problem& problem, Normalized* normalized) {
  return Normalize(problem, PlanOptions(), normalized);
}

std::string ToString(const Normalized& p) {
  std::string out = Concat("m=", p.m, " n=", p.n, " k=", p.k, " batch=", p.batch, " ", Name(p.input_type), "->",
                           Name(p.output_type));
  if (p.compute != ComputeType::kTensor) out += Concat(" compute=", Name(p.compute));
  if (p.scalars == ScalarMode::kDevice) out += " scalars=device";
  AppendInput(&out, "A", p.a);
  AppendInput(&out, "B", p.b);
  out += Concat(" D=ld", p.d.row_stride, "/align", p.d.alignment);
  if (p.swapped) out += " swapped";
  if (p.batch_invariant) out += " batch-invariant";
  return out;
}

}  // namespace gemm::problem
