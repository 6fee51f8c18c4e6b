// A forest of regression trees as a table: the sum of a leaf of each. Made by tools/gemm/calibrate/forest.py.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gemm::dispatch {

// A tree's nodes lie in preorder, its root first, the left child of a node right behind it.
struct ForestNode {
  static constexpr std::uint8_t kLeaf = 255;

  std::uint8_t feature;  // kLeaf: `value` is what the tree gives
  std::uint8_t right;    // how many nodes further the right child lies
  std::int16_t value;    // to the left go features up to this; in the units of the feature, or of a leaf
};

struct Forest {
  const ForestNode* nodes;
  const std::uint16_t* roots;  // where each tree begins
  std::size_t trees;
  const float* units;  // of each feature's values
  float leaf_unit;
};

// `features` has an element for each feature that the nodes name.
inline float Evaluate(const Forest& forest, const float* features) {
  float sum = 0;
  for (std::size_t tree = 0; tree < forest.trees; ++tree) {
    const ForestNode* node = forest.nodes + forest.roots[tree];
    while (node->feature != ForestNode::kLeaf) {
      node += features[node->feature] <= node->value * forest.units[node->feature] ? 1 : node->right;
    }
    sum += node->value;
  }
  return sum * forest.leaf_unit;
}

}  // namespace gemm::dispatch
