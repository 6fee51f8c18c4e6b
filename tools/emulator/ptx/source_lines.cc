#include "tools/emulator/ptx/source_lines.h"

#include <fmt/core.h>

#include <charconv>
#include <map>
#include <set>

namespace emu::ptx {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// Takes a number from the front of the text, blanks before it included. -1 when there is none.
int TakeNumber(std::string_view* text) {
  const std::string_view rest = Trimmed(*text);
  int number = -1;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc()) return -1;
  *text = rest.substr(static_cast<std::size_t>(end - rest.data()));
  return number;
}

struct Location {
  int file = -1, line = -1;
};

struct Locations {
  Location at, inlined_at;  // inlined_at.file < 0: it is not inlined
};

Location TakeLocation(std::string_view* text) {
  Location location;
  location.file = TakeNumber(text);
  location.line = TakeNumber(text);
  return location;
}

std::set<int> LinesOf(std::string_view message) {
  constexpr std::string_view kWord = "line ";
  std::set<int> lines;
  for (std::size_t at = message.find(kWord); at != std::string_view::npos; at = message.find(kWord, at + 1)) {
    std::string_view rest = message.substr(at + kWord.size());
    if (const int line = TakeNumber(&rest); line > 0) lines.insert(line);
  }
  return lines;
}

// The last part of the path: folders of the machine that compiled it say little.
std::string FileName(std::string_view statement) {
  const std::size_t begin = statement.find('"');
  const std::size_t end = statement.rfind('"');
  if (begin == std::string_view::npos || end == begin) return "";
  const std::string_view path = statement.substr(begin + 1, end - begin - 1);
  return std::string(path.substr(path.rfind('/') + 1));
}

class Reader {
 public:
  explicit Reader(std::set<int> wanted) : wanted_(std::move(wanted)) {}

  void Read(std::string_view text) {
    int number = 1;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ReadLine(Trimmed(text.substr(0, end)), number++);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  std::string Said() const {
    std::string said;
    for (const auto& [line, locations] : found_) {
      said += fmt::format("  line {}: {}", line, Name(locations.at));
      if (locations.inlined_at.file >= 0) said += ", inlined at " + Name(locations.inlined_at);
      said += '\n';
    }
    return said.empty() ? said : "In the source, by .loc:\n" + said;
  }

 private:
  void ReadLine(std::string_view line, int number) {
    if (line.starts_with(".file")) {
      std::string_view rest = line.substr(5);
      files_[TakeNumber(&rest)] = FileName(rest);
    } else if (line.starts_with(".loc")) {
      std::string_view rest = line.substr(4);
      present_ = Locations{TakeLocation(&rest), {}};
      constexpr std::string_view kInlined = "inlined_at";
      const std::size_t at = rest.find(kInlined);
      if (at == std::string_view::npos) return;
      rest.remove_prefix(at + kInlined.size());
      present_.inlined_at = TakeLocation(&rest);
    } else if (line.starts_with(".entry") || line.starts_with(".visible") || line.starts_with(".func")) {
      present_ = {};
    } else if (wanted_.count(number) == 1 && present_.at.file >= 0) {
      found_[number] = present_;
    }
  }

  std::string Name(const Location& location) const {
    const auto file = files_.find(location.file);
    return fmt::format("{}:{}", file == files_.end() || file->second.empty() ? "?" : file->second,
                       location.line);
  }

  const std::set<int> wanted_;
  std::map<int, std::string> files_;  // .file may stand behind the functions
  std::map<int, Locations> found_;
  Locations present_;
};

}  // namespace

std::string SourceLines(std::string_view text, std::string_view message) {
  Reader reader(LinesOf(message));
  reader.Read(text);
  return reader.Said();
}

}  // namespace emu::ptx
