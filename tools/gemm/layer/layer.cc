#include "tools/gemm/layer/layer.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "tools/gemm/bench/cells.h"
#include "tools/gemm/bench/session.h"

namespace gemm::tool::layer {
namespace {

// Of one file and one type.
void Group(const std::string& file, const std::vector<Problem>& problems, std::vector<Layer>* layers) {
  std::vector<Layer> found;
  for (const Problem& problem : problems) {
    auto layer =
        std::find_if(found.begin(), found.end(), [&](const Layer& other) { return other.m() == problem.m; });
    if (layer == found.end()) layer = found.insert(found.end(), Layer{file, {}});
    layer->products.push_back(problem);
  }
  layers->insert(layers->end(), found.begin(), found.end());
}

}  // namespace

std::string FileName(const Layer& layer) { return std::filesystem::path(layer.file).filename().string(); }

std::string LayerText(const Layer& layer) {
  return fmt::format("m={} {} of {}", layer.m(), bench::TypesText(layer.products.front()), FileName(layer));
}

Status ListLayers(const bench::Options& options, std::vector<Layer>* layers) {
  for (const std::string& type : options.types) {
    for (const std::string& file : options.shape_files) {
      bench::Options one = options;
      one.types = {type};
      one.shape_files = {file};
      std::vector<Problem> problems;
      if (const Status status = bench::ListProblems(one, &problems); !status.ok()) return status;
      Group(file, problems, layers);
    }
  }
  return Status();
}

std::vector<Problem> ProductsOf(const std::vector<Layer>& layers) {
  std::vector<Problem> products;
  for (const Layer& layer : layers)
    products.insert(products.end(), layer.products.begin(), layer.products.end());
  return products;
}

}  // namespace gemm::tool::layer
