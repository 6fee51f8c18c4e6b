#include "tools/gemm/bench/report_json.h"

#include "tools/gemm/problem.h"
#include "tools/gemm/problem_json.h"

namespace gemm::tool::bench {
namespace {

using Json = nlohmann::ordered_json;

const char* SideName(Side side) {
  switch (side) {
    case Side::kOurs:
      return "ours";
    case Side::kOtherRow:
      return "other row";
    case Side::kRival:
      return "rival";
    case Side::kRivalDefault:
      return "rival default";
    case Side::kRung:
      return "rung";
    case Side::kShape:
      return "shape";
    case Side::kOtherBuild:
      return "other build";
  }
  return "unknown";
}

Json CaseJson(const CaseResult& result) {
  const Problem& p = result.problem;
  Json json = ProblemJson(p);
  json["compute"] = Name(p.compute);
  json["sets"] = result.sets;
  json["footprint_bytes"] = result.footprint_bytes;
  if (!result.failure.empty()) json["failure"] = result.failure;
  if (!result.rival_note.empty()) json["rival_note"] = result.rival_note;
  const EntrantResult* ours = result.Ours();
  const EntrantResult* best = result.BestRival();
  const EntrantResult* standard = result.RivalDefault();
  if (ours != nullptr) {
    json["kernel"] = ours->name;
    json["us"] = ours->MedianUs();
    json["tflops"] = Flops(p) / ours->MedianUs() * 1e-6;
    json["gbs"] = CompulsoryBytes(p, result.with_c) / ours->MedianUs() * 1e-3;
    if (best != nullptr) json["ratio"] = best->MedianUs() / ours->MedianUs();
    if (standard != nullptr) json["ratio_default"] = standard->MedianUs() / ours->MedianUs();
    if (const auto ratio = result.RatioByOtherRounds()) json["ratio_by_other_rounds"] = *ratio;
    if (const EntrantResult* other = result.Beside())
      json["of_the_other_builds_time"] = ours->MedianUs() / other->MedianUs();
  }
  json["entrants"] = Json::array();
  for (const EntrantResult& entrant : result.entrants) json["entrants"].push_back(EntrantJson(entrant));
  return json;
}

}  // namespace

Json CircumstancesJson(const Circumstances& s) {
  Json json = {{"command", s.command},  {"date", s.date},     {"libgemm", s.library},
               {"device", s.device},    {"driver", s.driver}, {"rival", s.rival},
               {"meters", s.meters},    {"edges", s.edges},   {"constant_b", s.constant_b},
               {"protocol", s.protocol}};
  if (!s.tuning.empty()) json["tuning"] = s.tuning;
  if (!s.beside.empty()) json["beside"] = s.beside;
  return json;
}

Json EntrantJson(const EntrantResult& entrant) {
  Json json = {{"side", SideName(entrant.side)}, {"name", entrant.name}};
  if (!entrant.detail.empty()) json["config"] = entrant.detail;
  if (!entrant.failure.empty()) json["failure"] = entrant.failure;
  if (entrant.predicted_us) json["predicted_us"] = *entrant.predicted_us;
  if (entrant.screen_us) json["screen_us"] = *entrant.screen_us;
  json["worst_error_of_bound"] = entrant.worst_error;
  json["workspace_bytes"] = entrant.workspace_bytes;
  const Captured& captured = entrant.captured;
  json["graph"] = {{"launches", captured.launches}, {"kernels", captured.kernels}};
  if (captured.edges) {
    json["graph"]["plain_edges"] = captured.edges->plain;
    json["graph"]["programmatic_edges"] = captured.edges->programmatic;
  }
  if (!entrant.round_us.empty()) {
    json["median_us"] = entrant.MedianUs();
    json["round_us"] = entrant.round_us;
  }
  if (!entrant.mhz.empty()) json["round_mhz"] = entrant.mhz;
  if (entrant.energy) {
    json["energy_pass"] = {
        {"us", entrant.energy->us}, {"watts", entrant.energy->watts}, {"joules", entrant.energy->joules}};
  }
  return json;
}

std::string JsonText(const Json& report) {
  return report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string ToJson(const Report& report) {
  Json json = CircumstancesJson(report.circumstances);
  json["cases"] = Json::array();
  for (const CaseResult& result : report.cases) json["cases"].push_back(CaseJson(result));
  return JsonText(json);
}

}  // namespace gemm::tool::bench
