// Which products are a layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemm/gemm.h"
#include "tools/gemm/bench/options.h"

namespace gemm::tool::layer {

// Products of one file with the same M and types, in the file's order.
struct Layer {
  std::string file;
  std::vector<Problem> products;

  std::int64_t m() const { return products.front().m; }
};

// "m=128 bf16 of mid.txt", without the file's folder.
std::string LayerText(const Layer& layer);
std::string FileName(const Layer& layer);

// All layers: by type, then in the files' order, then in that of the first line with an M.
Status ListLayers(const bench::Options& options, std::vector<Layer>* layers);

std::vector<Problem> ProductsOf(const std::vector<Layer>& layers);

}  // namespace gemm::tool::layer
