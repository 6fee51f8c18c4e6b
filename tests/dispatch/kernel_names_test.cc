// docs/kernel_names.md explains every piece of every kernel's name, and nothing else; and the pieces are true.
#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "common/dispatch/registry.h"
#include "gtest/gtest.h"

namespace gemm::dispatch {
namespace {

std::vector<std::string> Lines() {
  std::ifstream file("docs/kernel_names.md");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// What stands in code style.
std::vector<std::string> Quoted(const std::string& text) {
  std::vector<std::string> quoted;
  std::istringstream parts(text);
  bool inside = false;
  for (std::string part; std::getline(parts, part, '`'); inside = !inside) {
    if (inside) quoted.push_back(part);
  }
  return quoted;
}

// The table's first column: "kk", "c<m>x<n>", and what it stands for.
std::map<std::string, std::regex> Entries() {
  std::map<std::string, std::regex> entries;
  const std::regex number("<[a-z]+>");
  for (const std::string& line : Lines()) {
    if (line.rfind("| `", 0) != 0) continue;
    for (const std::string& entry : Quoted(line.substr(0, line.find('|', 1)))) {
      entries[entry] = std::regex(std::regex_replace(entry, number, "[0-9]+"));
    }
  }
  return entries;
}

std::vector<std::string> Pieces(const std::string& name) {
  std::vector<std::string> pieces;
  std::istringstream parts(name);
  for (std::string piece; std::getline(parts, piece, '_');) pieces.push_back(piece);
  return pieces;
}

// Each piece, with a name that has it.
std::map<std::string, std::string> AllPieces() {
  std::map<std::string, std::string> all;
  for (const KernelRow* row : Registry()) {
    for (const std::string& piece : Pieces(row->name)) all[piece] = row->name;
  }
  return all;
}

TEST(KernelNames, EveryPieceIsExplainedOnce) {
  const auto entries = Entries();
  for (const auto& [piece, name] : AllPieces()) {
    const auto explains = [&, &piece = piece](const auto& entry) {
      return std::regex_match(piece, entry.second);
    };
    EXPECT_EQ(std::count_if(entries.begin(), entries.end(), explains), 1) << piece << " of " << name;
  }
}

TEST(KernelNames, EveryEntryOccurs) {
  const auto pieces = AllPieces();
  const auto entries = Entries();
  EXPECT_FALSE(entries.empty());
  for (const auto& [entry, pattern] : entries) {
    const auto occurs = [&pattern = pattern](const auto& piece) {
      return std::regex_match(piece.first, pattern);
    };
    EXPECT_TRUE(std::any_of(pieces.begin(), pieces.end(), occurs)) << entry << " is in no kernel's name";
  }
}

TEST(KernelNames, ExamplesAreKernels) {
  int examples = 0;
  for (const std::string& line : Lines()) {
    for (const std::string& name : Quoted(line)) {
      if (Pieces(name).size() < 4) continue;
      ++examples;
      EXPECT_NE(FindRow(Registry(), name), nullptr) << name;
    }
  }
  EXPECT_GT(examples, 0);
}

// The piece that `pattern` matches, or "".
std::string Piece(const KernelRow& row, const std::regex& pattern) {
  for (const std::string& piece : Pieces(row.name)) {
    if (std::regex_match(piece, pattern)) return piece;
  }
  return "";
}

// Names are pasted by macros from what they say, or typed beside it. registry_test looks at the backend and the tile.
TEST(KernelNames, SayWhatTheKernelIs) {
  using problem::Major;
  const std::regex stages("s[0-9]+");
  const std::regex cluster("c[0-9]+x[0-9]+");
  const std::regex layout("[km][kn]");
  for (const KernelRow* row : Registry()) {
    if (const std::string piece = Piece(*row, stages); !piece.empty()) {
      EXPECT_EQ(piece, "s" + std::to_string(row->stages)) << row->name;
    }
    const std::string ctas = Piece(*row, cluster);
    EXPECT_EQ(ctas.empty() ? "c1x1" : ctas,
              "c" + std::to_string(row->cluster_m) + "x" + std::to_string(row->cluster_n))
        << row->name;
    if (row == Registry().back()) continue;  // takes every type and layout
    // Of what is multiplied: the transposed product's A is the problem's B.
    const bool transposed = Pieces(row->name).back() == "t";
    const Major a = transposed ? row->b_major : row->a_major;
    const Major b = transposed ? row->a_major : row->b_major;
    EXPECT_EQ(Piece(*row, layout), std::string(a == Major::kK ? "k" : "m") + (b == Major::kK ? "k" : "n"))
        << row->name;
    const std::string rounded = Pieces(row->name)[1] == "tf32" ? "fp32" : Pieces(row->name)[1];
    EXPECT_EQ(rounded, Name(row->input_type)) << row->name;
  }
}

}  // namespace
}  // namespace gemm::dispatch
