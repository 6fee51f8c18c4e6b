#include "ladder/published.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ladder/published_json.h"

namespace gemm::ladder {
namespace {

using Json = nlohmann::json;

std::optional<double> Number(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional<double>(value.get<double>());
}

std::vector<Figure> Read() {
  const Json json = Json::parse(kPublishedJson);
  std::vector<Figure> figures;
  for (const Json& entry : json["figures"]) {
    Figure figure;
    figure.id = entry["id"].get<std::string>();
    const std::string type = entry["type"].get<std::string>();
    figure.type = type == "fp32" ? DataType::kFP32 : type == "fp16" ? DataType::kFP16 : DataType::kBF16;
    figure.m = entry["m"].get<std::int64_t>();
    figure.n = entry["n"].get<std::int64_t>();
    figure.k = entry["k"].get<std::int64_t>();
    figure.tflops = Number(entry["tflops"]);
    figure.percent_of_cublas = Number(entry["percent_of_cublas"]);
    figure.machine = json["machines"][entry["machine"].get<std::string>()]["name"].get<std::string>();
    figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace

const std::vector<Figure>& Published() {
  static const std::vector<Figure>* const figures = new std::vector<Figure>(Read());
  return *figures;
}

const Figure* FindFigure(const std::string& id, const Problem& problem) {
  const Figure* found = nullptr;
  for (const Figure& figure : Published()) {
    if (figure.id != id || figure.type != problem.a.type) continue;
    if (figure.m == problem.m && figure.n == problem.n && figure.k == problem.k) return &figure;
    if (found == nullptr) found = &figure;
  }
  return found;
}

std::string ToString(const Figure* figure) {
  if (figure == nullptr) return "-";
  if (!figure->tflops && !figure->percent_of_cublas) return "no figure";
  std::string text = figure->tflops ? fmt::format("{:.4g} TFLOP/s", *figure->tflops) : "";
  if (figure->percent_of_cublas) {
    text += fmt::format("{}({:.4g}%)", text.empty() ? "" : " ", *figure->percent_of_cublas);
  }
  return fmt::format("{} at {} on {}", text, figure->m, figure->machine);
}

}  // namespace gemm::ladder
