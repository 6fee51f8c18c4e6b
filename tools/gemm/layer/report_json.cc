#include "tools/gemm/bench/report_json.h"

#include <nlohmann/json.hpp>

#include "tools/gemm/layer/report.h"
#include "tools/gemm/problem_json.h"

namespace gemm::tool::layer {
namespace {

using Json = nlohmann::ordered_json;

Json SideJson(const SideResult& side) {
  Json json = Json::object();
  if (!side.failure.empty()) json["failure"] = side.failure;
  if (side.timed()) {
    json["us_alone"] = side.AloneUs();
    json["us_in_turn"] = side.InTurnUs();
    json["in_turn_over_alone"] = side.InTurnUs() / side.AloneUs();
  }
  if (side.in_turn.captured.launches > 0) json["in_turn"] = bench::EntrantJson(side.in_turn);
  return json;
}

// A side that is out has fewer entrants than there are products.
Json ProductJson(const LayerResult& result, std::size_t i) {
  Json json = ProblemJson(result.layer.products[i]);
  if (i < result.operands.size()) {
    json["sets"] = result.operands[i].sets;
    json["footprint_bytes"] = result.operands[i].footprint_bytes;
  }
  if (i < result.ours.alone.size()) json["ours"] = bench::EntrantJson(result.ours.alone[i]);
  if (i < result.rival.alone.size()) json["rival"] = bench::EntrantJson(result.rival.alone[i]);
  return json;
}

Json LayerJson(const LayerResult& result) {
  const Columns c(result);
  const Problem& first = result.layer.products.front();
  Json json = {{"file", result.layer.file},
               {"m", result.layer.m()},
               {"in", InputName(first)},
               {"out", Name(first.d.type)}};
  if (!result.failure.empty()) json["failure"] = result.failure;
  if (result.ours.timed()) json["kernels"] = result.OurKernels();
  if (c.ratio) json["ratio_alone"] = *c.ratio;
  if (c.turn_ratio) json["ratio_in_turn"] = *c.turn_ratio;
  json["ours"] = SideJson(result.ours);
  json["rival"] = SideJson(result.rival);
  json["products"] = Json::array();
  for (std::size_t i = 0; i < result.layer.products.size(); ++i)
    json["products"].push_back(ProductJson(result, i));
  return json;
}

}  // namespace

std::string ToJson(const Report& report) {
  Json json = bench::CircumstancesJson(report.circumstances);
  json["layers"] = Json::array();
  for (const LayerResult& result : report.layers) json["layers"].push_back(LayerJson(result));
  return bench::JsonText(json);
}

}  // namespace gemm::tool::layer
