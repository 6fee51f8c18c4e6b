// Layout names, and files that list products to time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gemm/gemm.h"
#include "gemm/status.h"

namespace gemm::io {

// How A, B and D are stored, by the order of their letters: "mk" is A row-major, "km" A column-major, "nk" B
// stored [n, k] (weights as engines keep them; column-major), "kn" B row-major, "mn" D row-major, "nm" D
// column-major. Joined by '-'; A and D may be left out, as row-major: "nk", "km-kn", "mk-nk-nm".
struct Layouts {
  Layout a = Layout::kRowMajor;
  Layout b = Layout::kColumnMajor;
  Layout d = Layout::kRowMajor;  // of C too
};

// False when `text` is no such name; *layouts is then unchanged.
bool ParseLayouts(std::string_view text, Layouts* layouts);
// The shortest name.
std::string ToString(const Layouts& layouts);
// "nk, kn, km-nk, ...": what ParseLayouts accepts, for sentences.
const char* LayoutsHelp();

struct Shape {
  Layouts layouts;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  std::string where;  // "file:line", for what is refused later
};

// Reads one product a line: `layout m n k [batch]`, sizes of at least 1; '#' starts a comment. A line that is
// none of this is refused by its number (file:line: ...), as is a file without a product.
Status ReadShapes(const std::string& path, std::vector<Shape>* shapes);
// The same of text in memory; `name` is for sentences.
Status ParseShapes(std::string_view text, const std::string& name, std::vector<Shape>* shapes);

}  // namespace gemm::io
