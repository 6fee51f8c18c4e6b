#include <algorithm>

#include "common/dispatch/registry.h"

namespace gemm::dispatch {
namespace {

// Levenshtein's distance.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

Rows Collect(std::initializer_list<KernelTable> tables) {
  Rows rows;
  for (const KernelTable& table : tables) {
    for (std::size_t i = 0; i < table.count; ++i) rows.push_back(&table.rows[i]);
  }
  return rows;
}

const KernelRow* FindRow(const Rows& rows, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const KernelRow* row) { return name == row->name; });
  return found == rows.end() ? nullptr : *found;
}

std::string NearestNames(const Rows& rows, std::string_view name) {
  std::vector<std::pair<std::size_t, const char*>> near;
  for (const KernelRow* row : rows) near.emplace_back(EditDistance(name, row->name), row->name);
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(near.size(), 3); ++i) {
    if (i > 0) names += ", ";
    names += near[i].second;
  }
  return names;
}

}  // namespace gemm::dispatch
