// What gemm layer makes of times, by made-up ones: only a GPU has ours and cuBLASLt's beside each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/gemm/layer/report.h"

namespace gemm::tool::layer {
namespace {

using testing::HasSubstr;

bench::EntrantResult Timed(const std::string& name, std::vector<double> round_us) {
  bench::EntrantResult result;
  result.name = name;
  result.captured.launches = 1;
  result.round_us = std::move(round_us);
  return result;
}

// Two products of 10 and 30 us, 44 in turn; the rival's take 20 and 40 (the medians), and `rival_in_turn`.
LayerResult Made(double rival_in_turn) {
  LayerResult result;
  result.layer.file = "folder/made.txt";
  result.layer.products.resize(2);
  for (Problem& problem : result.layer.products) problem.m = 64;
  result.ours.alone = {Timed("one", {10, 10, 10}), Timed("other", {30, 30, 30})};
  result.ours.in_turn = Timed("in turn", {50, 44, 40});
  result.rival.alone = {Timed("heuristic 0", {20, 1, 90}), Timed("default", {40, 40, 40})};
  result.rival.in_turn = Timed("in turn", {rival_in_turn, rival_in_turn, rival_in_turn});
  return result;
}

TEST(LayerReport, ComparesSumsWithTurns) {
  const LayerResult result = Made(66);
  const Columns columns(result);
  EXPECT_EQ(columns.us, 40);
  EXPECT_EQ(columns.turn_us, 44);
  EXPECT_EQ(columns.rival_us, 60);
  EXPECT_EQ(columns.rival_turn_us, 66);
  EXPECT_DOUBLE_EQ(columns.cost.value(), 1.1);
  EXPECT_DOUBLE_EQ(columns.rival_cost.value(), 1.1);
  EXPECT_DOUBLE_EQ(columns.ratio.value(), 1.5);
  EXPECT_DOUBLE_EQ(columns.turn_ratio.value(), 1.5);
  EXPECT_EQ(result.OurKernels(), 2u);
  EXPECT_THAT(ConsoleRow(result),
              HasSubstr(" 40.00     44.00  +10.0% |     60.00     66.00  +10.0% |  1.500   1.500"));
}

TEST(LayerReport, WritesTheSameInEveryFormat) {
  Report report;
  report.layers = {Made(55)};
  EXPECT_THAT(ToCsv(report),
              HasSubstr("\nfolder/made.txt,64,bf16,bf16,2,2,40,44,1.1,60,55,0.916667,1.5,1.25,"));
  EXPECT_THAT(ToMarkdown(report), HasSubstr("| made.txt | 64 | bf16 | 2 | 2 | 40.00 | 44.00 | +10.0% | 60.00 | "
                                            "55.00 | -8.3% | 1.500 | 1.250 |"));
  const nlohmann::json layer = nlohmann::json::parse(ToJson(report))["layers"][0];
  EXPECT_EQ(layer["kernels"], 2);
  EXPECT_EQ(layer["ratio_alone"], 1.5);
  EXPECT_EQ(layer["ratio_in_turn"], 1.25);
  EXPECT_EQ(layer["ours"]["in_turn_over_alone"], 1.1);
  EXPECT_EQ(layer["products"][1]["rival"]["name"], "default");
}

TEST(LayerReport, MeansAreGeometricAndOfWhatWasTimed) {
  std::vector<LayerResult> layers = {Made(66), Made(264), Made(1)};
  layers[2].rival.failure = "none";
  layers[2].ours.in_turn = Timed("in turn", {40});
  EXPECT_EQ(Summary(layers),
            "bf16: geometric mean over 3 layers: being in turn costs ours +6.6%, cuBLASLt's +120.0%; "
            "1.500x its speed alone, 3.000x in turn\n");
  layers.resize(1);
  layers[0].ours.failure = "wrong";
  EXPECT_EQ(Summary(layers), "");
  EXPECT_EQ(Note(layers[0]), "ours: wrong");
}

}  // namespace
}  // namespace gemm::tool::layer
