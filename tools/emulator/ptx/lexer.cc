#include "tools/emulator/ptx/lexer.h"

#include <array>
#include <bit>
#include <charconv>

#include "tools/emulator/ptx/module.h"

namespace emu::ptx {
namespace {

constexpr std::uint8_t kFollow = 1;  // may follow in an identifier: [a-zA-Z0-9_$]
constexpr std::uint8_t kStart = 2;   // may begin one: [a-zA-Z_$%]
constexpr std::uint8_t kDigit = 4;
constexpr std::uint8_t kHex = 8;

constexpr std::array<std::uint8_t, 256> MakeClasses() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = kFollow | kStart;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kFollow | kDigit | kHex;
  for (int c = 'a'; c <= 'f'; ++c) {
    classes[c] |= kHex;
    classes[c - 'a' + 'A'] |= kHex;
  }
  classes['_'] = classes['$'] = kFollow | kStart;
  classes['%'] = kStart;
  return classes;
}
constexpr std::array<std::uint8_t, 256> kClasses = MakeClasses();

bool Is(char c, std::uint8_t what) { return (kClasses[static_cast<unsigned char>(c)] & what) != 0; }

class Lexer {
 public:
  Lexer(std::string_view text, int line) : text_(text.substr(0, text.find('\0'))), line_(line) {}

  std::vector<Token> Run() {
    std::vector<Token> tokens;
    tokens.reserve(text_.size() / 4 + 16);
    do {
      tokens.push_back(Next());
      after_value_ = tokens.back().kind == Token::Kind::kInteger || tokens.back().Is(")");
    } while (tokens.back().kind != Token::Kind::kEnd);
    return tokens;
  }

 private:
  // The character `ahead`, 0 behind the end.
  char At(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  [[noreturn]] void Fail(const std::string& message) const { throw SyntaxError(line_, message); }

  void SkipLine() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  void SkipComment() {
    const int first = line_;
    for (at_ += 2; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '*' && At(1) == '/') {
        at_ += 2;
        return;
      }
    }
    throw SyntaxError(first, "a comment that begins here has no end");
  }

  // Blanks, comments and lines of a preprocessor. True when there was anything.
  bool SkipBlanks() {
    const std::size_t first = at_;
    for (;;) {
      const char c = At();
      if (c == '\n') {
        ++line_;
        ++at_;
        line_begin_ = at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (c == '/' && At(1) == '/') {
        SkipLine();
      } else if (c == '/' && At(1) == '*') {
        SkipComment();
      } else if (c == '#' && at_ == line_begin_) {
        SkipLine();
      } else {
        return at_ != first;
      }
    }
  }

  Token Next() {
    Token token;
    token.glued = !SkipBlanks() && at_ > 0;
    token.line = line_;
    const std::size_t first = at_;
    const char c = At();
    if (at_ >= text_.size()) return token;
    if (Is(c, kDigit)) {
      Number(token);
    } else if (Is(c, kStart) && !IsRemainder(token.glued)) {
      token.kind = Token::Kind::kWord;
      for (++at_; Is(At(), kFollow);) ++at_;
    } else if (c == '.' && Is(At(1), kFollow)) {
      DotWord(token);
      return token;
    } else if (c == '"') {
      String(token);
      return token;
    } else {
      Symbol(token);
    }
    token.text = text_.substr(first, at_ - first);
    return token;
  }

  // "%" is an operator right behind a number or a parenthesis, else the begin of a name.
  bool IsRemainder(bool glued) const { return At() == '%' && ((glued && after_value_) || !Is(At(1), kFollow)); }

  void DotWord(Token& token) {
    token.kind = Token::Kind::kDotWord;
    const std::size_t first = ++at_;
    for (;;) {
      if (Is(At(), kFollow)) {
        ++at_;
      } else if (At() == ':' && At(1) == ':' && Is(At(2), kFollow)) {
        at_ += 2;
      } else {
        break;
      }
    }
    token.text = text_.substr(first, at_ - first);
  }

  void String(Token& token) {
    token.kind = Token::Kind::kString;
    const std::size_t first = ++at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' && At(1) != '\n' ? 2 : 1;
    }
    if (At() != '"') Fail("a string has no end in its line");
    token.text = text_.substr(first, at_ - first);
    ++at_;
  }

  void Symbol(Token& token) {
    token.kind = Token::Kind::kSymbol;
    const char c = At(), next = At(1);
    static constexpr std::string_view kSingles = "{}[]()<>,;:@!|=+-*/%&^~?.";
    if (kSingles.find(c) == std::string_view::npos) {
      const bool printable = c > ' ' && c < 0x7f;
      Fail(printable ? std::string("a character that PTX has not: '") + c + "'"
                     : "a character that PTX has not");
    }
    const bool twice = next == c && (c == '<' || c == '>' || c == '=' || c == '&' || c == '|');
    const bool equal = next == '=' && (c == '<' || c == '>' || c == '!');
    at_ += twice || equal ? 2 : 1;
  }

  void Number(Token& token) {
    const char kind = At() == '0' ? static_cast<char>(At(1) | 0x20) : '\0';
    if (kind == 'f' || kind == 'd') {
      token.kind = kind == 'f' ? Token::Kind::kSingle : Token::Kind::kFloat;
      at_ += 2;
      token.bits = Digits(16, kind == 'f' ? 8 : 16);
    } else if (kind == 'x' || kind == 'b') {
      at_ += 2;
      Integer(token, kind == 'x' ? 16 : 2);
    } else {
      Decimal(token);
    }
    if (Is(At(), kFollow))
      Fail("a number that PTX does not have: '" + std::string(text_.substr(at_, 1)) + "' in it");
  }

  void Integer(Token& token, int base) {
    token.kind = Token::Kind::kInteger;
    token.bits = Digits(base, 0);
    token.is_unsigned = token.bits >> 63 != 0;
    if (At() == 'U') {
      token.is_unsigned = true;
      ++at_;
    }
  }

  // `count` digits, or (0) as many as there are, at least one.
  std::uint64_t Digits(int base, std::ptrdiff_t count) {
    std::size_t end = at_;
    while (end < text_.size() && Is(text_[end], kHex)) ++end;
    std::uint64_t value = 0;
    const char* first = text_.data() + at_;
    const auto [last, error] = std::from_chars(first, text_.data() + end, value, base);
    if (error == std::errc::result_out_of_range) Fail("a number of more than 64 bits");
    if (error != std::errc()) Fail("a number without digits");
    if (count != 0 && last - first != count) Fail("0f needs 8 hexadecimal digits, 0d needs 16");
    at_ += static_cast<std::size_t>(last - first);
    return value;
  }

  void Decimal(Token& token) {
    std::size_t end = at_;
    while (end < text_.size() && Is(text_[end], kDigit)) ++end;
    const auto peek = [&](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
    bool real = false;
    if (peek(end) == '.' && !Is(peek(end + 1), kStart)) {
      real = true;
      for (++end; Is(peek(end), kDigit);) ++end;
    }
    if ((peek(end) | 0x20) == 'e') {
      std::size_t digits = end + 1;
      if (peek(digits) == '+' || peek(digits) == '-') ++digits;
      if (Is(peek(digits), kDigit)) {
        real = true;
        for (end = digits; Is(peek(end), kDigit);) ++end;
      }
    }
    if (!real) return Integer(token, At() == '0' ? 8 : 10);
    double value = 0;
    const auto result = std::from_chars(text_.data() + at_, text_.data() + end, value);
    if (result.ec != std::errc()) Fail("a number outside what a double can hold");
    token.kind = Token::Kind::kFloat;
    token.bits = std::bit_cast<std::uint64_t>(value);
    at_ = end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  int line_;
  bool after_value_ = false;
};

}  // namespace

std::vector<Token> Tokenize(std::string_view text, int line) { return Lexer(text, line).Run(); }

std::string Describe(const Token& token) {
  if (token.kind == Token::Kind::kEnd) return "the end of the text";
  std::string text(token.text.substr(0, 60));
  if (token.kind == Token::Kind::kDotWord) text = "." + text;
  return "'" + text + "'";
}

}  // namespace emu::ptx
