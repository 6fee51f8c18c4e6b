// How reports name a problem.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/gemm/problem.h"

namespace gemm::tool {

// In a header: its users compile json.hpp anyway.
inline nlohmann::ordered_json ProblemJson(const Problem& p) {
  return {{"layout", io::ToString(LayoutsOf(p))},
          {"m", p.m},
          {"n", p.n},
          {"k", p.k},
          {"batch", p.batch},
          {"in", InputName(p)},
          {"out", Name(p.d.type)}};
}

}  // namespace gemm::tool
