// One test case of a product, and the text tables they come from (tests/cases/README.md describes the format).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gemm/gemm.h"
#include "tests/support/fills.h"

namespace gemm::tests {

// What is passed as C.
enum class CMode {
  kNone,      // a null pointer; beta is 0
  kDistinct,  // a matrix of its own
  kInPlace,   // D itself
  kPoisoned,  // a matrix full of NaN that must not be read: beta is 0
};

struct Case {
  // Complete: leading dimensions, strides and alignments are set. Alignments follow from the offsets below.
  Problem problem;
  // Addresses are these many bytes past a multiple of 16.
  int offset_a = 0;
  int offset_b = 0;
  int offset_c = 0;
  int offset_d = 0;
  float alpha = 1.0f;
  float beta = 0.0f;
  CMode c_mode = CMode::kNone;
  Fill fill = Fill::kNormal;
  std::uint64_t seed = 1;
  std::string origin;  // "tests/cases/tails.txt:12"
  // The canonical line of this case alone: ParseCaseLine(line) gives the case back. What a failure prints.
  std::string line;
};

// Appends the cases of one line, the product of its lists, to *cases. False and a sentence in *error when the
// line is bad; an empty line or a comment gives no case.
bool ParseCaseLine(std::string_view line, const std::string& origin, std::vector<Case>* cases,
                   std::string* error);

// All lines of a table. The error names file and line: "tails.txt:12: ...". Stops at the first bad line.
bool ParseCaseTable(std::string_view text, const std::string& file, std::vector<Case>* cases,
                    std::string* error);

// A table built into the test binaries, so that they run alone on a bare machine.
struct CaseFile {
  const char* name;  // "tests/cases/tails.txt"
  const char* text;
};
const std::vector<CaseFile>& EmbeddedCaseFiles();

// Case `index` of the random sequence of `seed`: any size, layout, type, padding, alignment, batch and scalar.
Case RandomCase(std::uint64_t seed, std::uint64_t index);

}  // namespace gemm::tests
