#include "tools/io/shapes.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "tools/io/byte_source.h"

namespace gemm::io {
namespace {

// Far more than any list of products; keeps a mistaken file name from filling the memory.
constexpr std::uint64_t kLongestFile = 16 << 20;

std::vector<std::string_view> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return words;
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

bool ParseSize(std::string_view word, std::int64_t* value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *value);
  return error == std::errc() && end == word.data() + word.size() && *value >= 1;
}

// What is wrong with a line of words, or nothing when *shape was filled.
std::string ParseLine(const std::vector<std::string_view>& words, Shape* shape) {
  if (words.size() != 4 && words.size() != 5) {
    return "got " + std::to_string(words.size()) + " words; expected 'layout m n k [batch]'";
  }
  if (!ParseLayouts(words[0], &shape->layouts)) {
    return "layout '" + std::string(words[0].substr(0, 32)) + "'; allowed are " + LayoutsHelp();
  }
  std::int64_t* const sizes[] = {&shape->m, &shape->n, &shape->k, &shape->batch};
  const char* const names[] = {"m", "n", "k", "batch"};
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!ParseSize(words[i], sizes[i - 1])) {
      return std::string(names[i - 1]) + " is '" + std::string(words[i].substr(0, 32)) +
             "'; expected an integer from 1 to 2^63 - 1";
    }
  }
  return "";
}

}  // namespace

bool ParseLayouts(std::string_view text, Layouts* layouts) {
  Layouts result;
  bool have_b = false;
  int stage = 0;  // A before B before D
  if (text.empty() || text.front() == '-' || text.back() == '-') return false;
  for (const std::string_view part : Split(text, "-")) {
    if (stage < 1 && (part == "mk" || part == "km")) {
      result.a = part == "mk" ? Layout::kRowMajor : Layout::kColumnMajor;
      stage = 1;
    } else if (stage < 2 && (part == "nk" || part == "kn")) {
      result.b = part == "kn" ? Layout::kRowMajor : Layout::kColumnMajor;
      have_b = true;
      stage = 2;
    } else if (stage == 2 && (part == "mn" || part == "nm")) {
      result.d = part == "mn" ? Layout::kRowMajor : Layout::kColumnMajor;
      stage = 3;
    } else {
      return false;
    }
  }
  if (!have_b) return false;
  *layouts = result;
  return true;
}

std::string ToString(const Layouts& layouts) {
  std::string text = layouts.a == Layout::kColumnMajor ? "km-" : "";
  text += layouts.b == Layout::kColumnMajor ? "nk" : "kn";
  if (layouts.d == Layout::kColumnMajor) text += "-nm";
  return text;
}

const char* LayoutsHelp() { return "nk, kn, km-nk, km-kn, and each with -nm for a column-major D"; }

Status ParseShapes(std::string_view text, const std::string& name, std::vector<Shape>* shapes) {
  std::vector<Shape> result;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view words = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    words = words.substr(0, words.find('#'));
    const std::vector<std::string_view> parts = Split(words, " \t\r");
    if (parts.empty()) continue;
    Shape shape;
    const std::string problem = ParseLine(parts, &shape);
    if (!problem.empty()) {
      return Status(StatusCode::kInvalidArgument, name + ":" + std::to_string(line) + ": " + problem);
    }
    shape.where = name + ":" + std::to_string(line);
    result.push_back(std::move(shape));
  }
  if (result.empty()) return Status(StatusCode::kInvalidArgument, name + ": lists no product");
  *shapes = std::move(result);
  return Status();
}

Status ReadShapes(const std::string& path, std::vector<Shape>* shapes) {
  File file;
  Status status = file.Open(path);
  if (!status.ok()) return status;
  if (file.size() > kLongestFile) {
    return Status(StatusCode::kInvalidArgument,
                  path + ": has " + std::to_string(file.size()) + " bytes; 16 MiB are allowed");
  }
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  status = file.Read(0, text.size(), text.data());
  return status.ok() ? ParseShapes(text, path, shapes) : status;
}

}  // namespace gemm::io
