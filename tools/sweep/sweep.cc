#include "tools/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tools/gemm/bench/entrant.h"
#include "tools/gemm/bench/session.h"
#include "tools/gemm/problem.h"
#include "tools/io/shapes.h"
#include "tools/sweep/shape.h"

namespace gemm::sweep {
namespace {

namespace bench = tool::bench;

constexpr int kMostParts = 255;  // a counter's bits (common/simt/ring_split.cuh)

Status Refuse(const std::string& text) { return Status(StatusCode::kInvalidArgument, text); }

bool Chosen(const Shape& shape, const Options& options) {
  return std::string_view(shape.name).find(options.only) != std::string_view::npos;
}

Status CheckOptions(const Options& options) {
  for (const int parts : options.parts) {
    if (parts < 1 || parts > kMostParts)
      return Refuse(fmt::format("--parts has {}; 1 to {} are allowed", parts, kMostParts));
  }
  if (options.top < 1) return Refuse(fmt::format("--top is {}; at least 1 is allowed", options.top));
  const auto& shapes = Shapes();
  if (std::none_of(shapes.begin(), shapes.end(), [&](const Shape& shape) { return Chosen(shape, options); })) {
    return Refuse(fmt::format("--only is '{}', which no shape's name contains; --list has them", options.only));
  }
  if (options.shape_files.empty() && options.sizes.empty())
    return Refuse("neither a shape file nor --sizes is given; see gemm sweep --help");
  return Status();
}

// "N" or "MxNxK" as a line of a shape file.
std::string LineOf(const std::string& layout, std::string size) {
  if (size.find('x') == std::string::npos) size = fmt::format("{0}x{0}x{0}", size);
  std::replace(size.begin(), size.end(), 'x', ' ');
  return layout + " " + size;
}

std::string Line(const bench::CaseResult& result, const bench::EntrantResult& entrant,
                 const std::string& name) {
  const double us = entrant.MedianUs();
  const bench::EntrantResult* rival = result.BestRival();
  return fmt::format("{:38} {:>10.2f} {:>8.2f} {:>7}  {}\n", name, us, tool::Flops(result.problem) / us * 1e-6,
                     rival == nullptr ? "-" : fmt::format("{:.3f}", rival->MedianUs() / us),
                     entrant.side == bench::Side::kShape ? entrant.detail : entrant.name);
}

}  // namespace

Status ListProblems(const Options& options, std::vector<Problem>* problems) {
  if (Status status = CheckOptions(options); !status.ok()) return status;
  std::vector<io::Shape> products;
  for (const std::string& path : options.shape_files) {
    std::vector<io::Shape> more;
    if (Status status = io::ReadShapes(path, &more); !status.ok()) return status;
    products.insert(products.end(), more.begin(), more.end());
  }
  for (const std::string& layout : options.layouts) {
    for (const std::string& size : options.sizes) {
      std::vector<io::Shape> more;
      const Status status = io::ParseShapes(LineOf(layout, size), "--sizes " + size, &more);
      if (!status.ok()) return status;
      products.insert(products.end(), more.begin(), more.end());
    }
  }
  for (const io::Shape& p : products) {
    Problem problem;
    const Status status = tool::MakeProblem(p.layouts, p.m, p.n, p.k, p.batch, DataType::kFP32, DataType::kFP32,
                                            ComputeType::kTensor, &problem);
    if (!status.ok()) return Status(status.code(), fmt::format("{}: {}", p.where, status.message()));
    problems->push_back(problem);
  }
  return Status();
}

bench::CaseResult RunCase(bench::Bench* bench, const Options& options, const Problem& problem) {
  const auto gather = [&](const bench::Bench& the_bench, const Problem& the_problem,
                          bench::Entrants* entrants) {
    Status status = bench::AddOurs(the_bench, the_problem, entrants);
    for (const Shape& shape : Shapes()) {
      if (!Chosen(shape, options)) continue;
      for (const int parts : options.parts) {
        if (status.ok()) status = AddShape(the_bench, the_problem, shape, parts, entrants);
      }
    }
    return status;
  };
  return bench::RunCase(bench, problem, gather, [](double) {});
}

std::string Table(const bench::CaseResult& result, int top) {
  std::vector<const bench::EntrantResult*> timed;
  std::vector<const bench::EntrantResult*> refused;
  for (const bench::EntrantResult& entrant : result.entrants) {
    if (entrant.side == bench::Side::kShape) (entrant.round_us.empty() ? refused : timed).push_back(&entrant);
  }
  std::sort(timed.begin(), timed.end(),
            [](const auto* a, const auto* b) { return a->MedianUs() < b->MedianUs(); });
  std::string text = fmt::format("\n{}\n{:38} {:>10} {:>8} {:>7}\n", tool::ProblemText(result.problem), "shape",
                                 "us", "TFLOP/s", "ratio");
  for (std::size_t i = 0; i < timed.size() && i < static_cast<std::size_t>(top); ++i)
    text += Line(result, *timed[i], timed[i]->name);
  if (const auto* ours = result.Ours()) text += Line(result, *ours, "libgemm");
  if (const auto* rival = result.RivalDefault()) text += Line(result, *rival, "cuBLASLt default");
  if (const auto* rival = result.BestRival()) text += Line(result, *rival, "cuBLASLt best");
  text += fmt::format("{} shapes timed, {} not", timed.size(), refused.size());
  if (!refused.empty()) text += fmt::format(": {} {}", refused.front()->name, refused.front()->failure);
  if (!result.rival_note.empty()) text += "\ncuBLASLt: " + result.rival_note;
  if (!result.failure.empty()) text += "\n" + result.failure;
  return text + "\n";
}

}  // namespace gemm::sweep
