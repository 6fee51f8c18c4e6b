#include "common/driver/ptx_numbers.h"

#include <cstddef>
#include <cstdint>

namespace gemm::driver {
namespace {

constexpr std::size_t kMostLetters = 8;
constexpr std::size_t kMostDigits = 9;
constexpr char kRelative = '~';
constexpr std::string_view kLabel = "$L__BB";

bool IsLetter(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::size_t Digits(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && IsDigit(text[end])) ++end;
  return end - at;
}

// Where the number of the name at `at`, a `%` or `$`, begins; 0 where there is none. `kind` is its letters as a number, 0 of a label.
std::size_t NumberOfName(std::string_view text, std::size_t at, std::uint64_t* kind) {
  *kind = 0;
  if (text[at] == '%') {
    std::size_t end = at + 1;
    for (; end < text.size() && end - at <= kMostLetters && IsLetter(text[end]); ++end) {
      *kind = *kind << 8 | static_cast<unsigned char>(text[end]);
    }
    return end > at + 1 ? end : 0;
  }
  if (text.substr(at, kLabel.size()) != kLabel) return 0;
  const std::size_t function = at + kLabel.size();
  const std::size_t digits = Digits(text, function);
  const std::size_t bar = function + digits;
  return digits > 0 && bar < text.size() && text[bar] == '_' ? bar + 1 : 0;
}

// The number at `at`, as a numbered name has it. False where there is none.
bool ReadNumber(std::string_view text, std::size_t at, std::int64_t* number, std::size_t* end) {
  const std::size_t digits = Digits(text, at);
  if (digits == 0 || digits > kMostDigits || (digits > 1 && text[at] == '0')) return false;
  *number = 0;
  for (*end = at; *end < at + digits; ++*end) *number = 10 * *number + (text[*end] - '0');
  return true;
}

// The last number of each kind of name; of more kinds than it has room for, of the first.
class LastNumbers {
 public:
  // Null where there is no room.
  std::int64_t* Of(std::uint64_t kind) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (kinds_[i] == kind) return &numbers_[i];
    }
    if (count_ == kRoom) return nullptr;
    kinds_[count_] = kind;
    numbers_[count_] = 0;
    return &numbers_[count_++];
  }

 private:
  static constexpr std::size_t kRoom = 32;  // nvcc's PTX has less than ten kinds
  std::size_t count_ = 0;
  std::uint64_t kinds_[kRoom];
  std::int64_t numbers_[kRoom];
};

// The next `%` or `$` from `at` on. (find_first_of takes several times as long.)
std::size_t NextName(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '%' && text[at] != '$') ++at;
  return at;
}

// `text` with other numbers: translate(where a name's number would be, kind of name, &instead) says where `text` goes on behind what it gives
// instead, 0 to leave the name as it is, or npos to give up. False where it gave up.
template <class Translate>
bool TranslateNumbers(std::string_view text, std::string* out, Translate translate) {
  out->clear();
  out->reserve(text.size() + text.size() / 2);
  std::string instead;
  std::size_t copied = 0;
  for (std::size_t at = NextName(text, 0); at < text.size(); at = NextName(text, at + 1)) {
    std::uint64_t kind;
    const std::size_t number = NumberOfName(text, at, &kind);
    if (number == 0 || number >= text.size()) continue;
    const std::size_t end = translate(number, kind, &instead);
    if (end == std::string_view::npos) return false;
    if (end == 0) continue;
    out->append(text, copied, number - copied);
    *out += instead;
    copied = end;
    at = end - 1;
  }
  out->append(text, copied);
  return true;
}

}  // namespace

std::string WithRelativeNumbers(std::string_view ptx) {
  LastNumbers last;
  const auto relative = [&](std::size_t at, std::uint64_t kind, std::string* instead) -> std::size_t {
    std::int64_t number;
    std::size_t end;
    if (!ReadNumber(ptx, at, &number, &end)) return 0;
    std::int64_t* const before = last.Of(kind);
    if (before == nullptr) return 0;
    *instead = kRelative + std::to_string(number - *before);
    *before = number;
    return end;
  };
  std::string text;
  TranslateNumbers(ptx, &text, relative);
  return text;
}

bool WithAbsoluteNumbers(std::string_view text, std::string* ptx) {
  LastNumbers last;
  const auto absolute = [&](std::size_t at, std::uint64_t kind, std::string* instead) -> std::size_t {
    if (text[at] != kRelative) return 0;
    const bool is_negative = at + 1 < text.size() && text[at + 1] == '-';
    std::int64_t difference;
    std::size_t end;
    std::int64_t* const number = last.Of(kind);
    if (number == nullptr || !ReadNumber(text, at + 1 + is_negative, &difference, &end))
      return std::string_view::npos;
    *number += is_negative ? -difference : difference;
    if (*number < 0) return std::string_view::npos;
    *instead = std::to_string(*number);
    return end;
  };
  return TranslateNumbers(text, ptx, absolute);
}

}  // namespace gemm::driver
