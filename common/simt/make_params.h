// A kernel's parameters from a problem; Run adds the addresses and the scalars.
#pragma once

#include "common/base/data_type.h"
#include "common/device/type_number.h"
#include "common/problem/problem.h"
#include "common/simt/params.h"

namespace gemm::simt {

inline Input MakeInput(const problem::Input& input, int bytes) {
  const bool k_contiguous = input.major == problem::Major::kK;
  Input out{};
  out.batch_stride = input.batch_stride * bytes;
  out.mn_stride = (k_contiguous ? input.ld : 1) * bytes;
  out.k_stride = (k_contiguous ? 1 : input.ld) * bytes;
  out.k_contiguous = k_contiguous;
  out.vector = input.alignment >= 4 * bytes;
  return out;
}

inline Output MakeOutput(const problem::Output& output, int bytes) {
  Output out{};
  out.batch_stride = output.batch_stride;
  out.row_stride = output.row_stride;
  out.col_stride = output.col_stride;
  out.vector = output.col_stride == 1 && output.alignment >= 4 * bytes;
  return out;
}

inline Params MakeParams(const problem::Normalized& p) {
  Params params{};
  params.a = MakeInput(p.a, base::ElementBytes(p.input_type));
  params.b = MakeInput(p.b, base::ElementBytes(p.input_type));
  params.c_shape = MakeOutput(p.c, base::ElementBytes(p.output_type));
  params.d_shape = MakeOutput(p.d, base::ElementBytes(p.output_type));
  params.m = p.m;
  params.n = p.n;
  params.k = p.k;
  params.batch = p.batch;
  params.input_type = device::TypeNumber(p.input_type);
  params.output_type = device::TypeNumber(p.output_type);
  return params;
}

}  // namespace gemm::simt
