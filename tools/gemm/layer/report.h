// The results of `gemm layer` as a table on the console, CSV, JSON and Markdown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/gemm/bench/formats.h"
#include "tools/gemm/bench/report.h"
#include "tools/gemm/layer/run.h"

namespace gemm::tool::layer {

struct Report {
  bench::Circumstances circumstances;
  std::vector<LayerResult> layers;
};

// What the tables say of a layer, as far as it was timed.
struct Columns {
  explicit Columns(const LayerResult& result);
  std::optional<double> us, turn_us;              // ours: the sum of each alone, and a turn of all
  std::optional<double> rival_us, rival_turn_us;  // the rival's
  std::optional<double> cost, rival_cost;         // in turn over alone
  std::optional<double> ratio, turn_ratio;        // the rival's time over ours
};

std::string ConsoleHeader();
// One line, without its end.
std::string ConsoleRow(const LayerResult& result);
// Geometric means, one line for each type of input.
std::string Summary(const std::vector<LayerResult>& layers);

std::string ToCsv(const Report& report);
std::string ToJson(const Report& report);
std::string ToMarkdown(const Report& report);

// Refers to the report.
bench::Formats FormatsOf(const Report& report);

// Why ours, or the rival's, were not timed; empty where both were.
std::string Note(const LayerResult& result);

// The protocol in words, for the report.
std::string ProtocolText(const bench::Options& options, bool rival);

}  // namespace gemm::tool::layer
