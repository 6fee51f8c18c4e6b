#include "tools/rival/configuration.h"

#include <fmt/core.h>

#include <cstddef>

namespace gemm::rival {
namespace {

struct Extents {
  int rows;
  int columns;
};

constexpr Extents kTiles[] = {
#include "tools/rival/tiles.inc"
};
constexpr std::uint32_t kFirstTile = 1;

constexpr Extents kClusters[] = {
    {1, 1},  {2, 1},  {4, 1},  {1, 2},  {2, 2},  {4, 2},  {1, 4},  {2, 4},  {4, 4},  {8, 1},
    {1, 8},  {8, 2},  {2, 8},  {16, 1}, {1, 16}, {3, 1},  {5, 1},  {6, 1},  {7, 1},  {9, 1},
    {10, 1}, {11, 1}, {12, 1}, {13, 1}, {14, 1}, {15, 1}, {3, 2},  {5, 2},  {6, 2},  {7, 2},
    {1, 3},  {2, 3},  {3, 3},  {4, 3},  {5, 3},  {3, 4},  {1, 5},  {2, 5},  {3, 5},  {1, 6},
    {2, 6},  {1, 7},  {2, 7},  {1, 9},  {1, 10}, {1, 11}, {1, 12}, {1, 13}, {1, 14}, {1, 15},
};
constexpr std::uint32_t kFirstCluster = 2;

constexpr struct {
  std::uint32_t id;
  const char* text;
} kStages[] = {
    {1, "16x1"},     {2, "16x2"},     {3, "16x3"},     {4, "16x4"},      {5, "16x5"},      {6, "16x6"},
    {7, "32x1"},     {8, "32x2"},     {9, "32x3"},     {10, "32x4"},     {11, "32x5"},     {12, "32x6"},
    {13, "64x1"},    {14, "64x2"},    {15, "64x3"},    {16, "64x4"},     {17, "64x5"},     {18, "64x6"},
    {19, "128x1"},   {20, "128x2"},   {21, "128x3"},   {22, "128x4"},    {23, "128x5"},    {24, "128x6"},
    {25, "32x10"},   {26, "8x4"},     {27, "16x10"},   {28, "8x5"},      {31, "8x3"},      {32, "8xauto"},
    {33, "16xauto"}, {34, "32xauto"}, {35, "64xauto"}, {36, "128xauto"}, {37, "256xauto"}, {38, "768xauto"},
};

std::string Unknown(std::uint32_t id) { return fmt::format("id {}", id); }

template <std::size_t count>
std::string ExtentsText(const Extents (&table)[count], std::uint32_t first, std::uint32_t id, bool swapped) {
  if (id < first || id - first >= count) return Unknown(id);
  const Extents& found = table[id - first];
  return fmt::format("{}x{}", swapped ? found.columns : found.rows, swapped ? found.rows : found.columns);
}

}  // namespace

std::string TileText(std::uint32_t id, bool swapped) { return ExtentsText(kTiles, kFirstTile, id, swapped); }

std::string ClusterText(std::uint32_t id, bool swapped) {
  return id == 0 ? "auto" : ExtentsText(kClusters, kFirstCluster, id, swapped);
}

std::string StagesText(std::uint32_t id) {
  for (const auto& stages : kStages) {
    if (stages.id == id) return stages.text;
  }
  return Unknown(id);
}

}  // namespace gemm::rival
