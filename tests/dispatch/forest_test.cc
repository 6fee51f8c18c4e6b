#include "common/dispatch/forest.h"

#include <gtest/gtest.h>

namespace gemm::dispatch {
namespace {

// x0 <= 2 ? (x1 <= 5 ? 10 : 20) : 40, and 0.5 alone.
constexpr ForestNode kNodes[] = {{0, 4, 1},
                                 {1, 2, 20},
                                 {ForestNode::kLeaf, 0, 20},
                                 {ForestNode::kLeaf, 0, 40},
                                 {ForestNode::kLeaf, 0, 80},
                                 {ForestNode::kLeaf, 0, 1}};
constexpr std::uint16_t kRoots[] = {0, 5};
constexpr float kUnits[] = {2, 0.25};
constexpr Forest kForest = {kNodes, kRoots, 2, kUnits, 0.5};

float At(float x0, float x1) {
  const float features[] = {x0, x1};
  return Evaluate(kForest, features);
}

TEST(Forest, AddsALeafOfEachTree) {
  EXPECT_EQ(At(1, 1), 10.5f);
  EXPECT_EQ(At(1, 6), 20.5f);
  EXPECT_EQ(At(3, 1), 40.5f);
}

TEST(Forest, GoesToTheLeftUpToTheThreshold) {
  EXPECT_EQ(At(2, 5), 10.5f);
  EXPECT_EQ(At(2, 5.0001f), 20.5f);
  EXPECT_EQ(At(2.0001f, 5), 40.5f);
}

}  // namespace
}  // namespace gemm::dispatch
