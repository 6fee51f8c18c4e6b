#include "ampere/few/product.h"

#include <algorithm>
#include <climits>
#include <cstdint>

#include "ampere/few/slices.h"
#include "ampere/reject.h"
#include "common/base/status.h"
#include "common/device/type_number.h"

namespace gemm::ampere::few {
namespace {

using dispatch::Device;
using dispatch::KernelRow;
using problem::Normalized;

// The kernels count rows and K in int, and go a few tiles past either.
constexpr std::int64_t kMostExtent = INT_MAX - (1 << 16);
constexpr std::int64_t kMostBatch = 65535;  // CTAs that CUDA takes in the second dimension of a grid

Operand MakeOperand(const problem::Input& input) { return {nullptr, input.ld, input.batch_stride}; }

OutputAt At(const problem::Output& output, bool wide_is_b) {
  return {wide_is_b ? output.col_stride : output.row_stride, wide_is_b ? output.row_stride : output.col_stride,
          output.batch_stride};
}

}  // namespace

std::optional<std::string> RejectProduct(const KernelRow& row, const Normalized& p, const Device& device) {
  if (auto why = RejectKernel(row, p, device, ComputeType::kTensor)) return why;
  // alpha may be no number then, and must not count: the others' epilogues see to it.
  if (p.k == 0) return std::string("K = 0 leaves nothing to multiply");
  if (FewRows(p) > row.tile.m) {
    return base::Concat("M and N, ", p.m, " and ", p.n, ", are both above ", row.tile.m);
  }
  if (std::max(WideRows(p), p.k) > kMostExtent) return base::Concat("M, N or K is above ", kMostExtent);
  if (p.batch > kMostBatch) return base::Concat("the batch, ", p.batch, ", is above ", kMostBatch);
  if (p.batch_invariant) return std::string("other numbers of rows go to kernels that sum K in another order");
  return std::nullopt;
}

Params ProductOf(const Normalized& p) {
  const bool wide_is_b = WideIsB(p);
  Params params = {};
  params.wide = MakeOperand(WideInput(p));
  params.few = MakeOperand(FewInput(p));
  params.c_at = At(p.c, wide_is_b);
  params.d_at = At(p.d, wide_is_b);
  params.wide_rows = static_cast<int>(WideRows(p));
  params.few_rows = static_cast<int>(FewRows(p));
  params.k = static_cast<int>(p.k);
  params.wide_early = WideInput(p).readable_early ? 1 : 0;
  params.output_type = device::TypeNumber(p.output_type);
  return params;
}

void SetArguments(const Arguments& args, bool wide_is_b, Params* params) {
  params->wide.base = wide_is_b ? args.b : args.a;
  params->few.base = wide_is_b ? args.a : args.b;
  params->c = args.c;
  params->d = args.d;
  params->scalars = {args.alpha, args.beta, args.alpha_device, args.beta_device};
}

}  // namespace gemm::ampere::few
