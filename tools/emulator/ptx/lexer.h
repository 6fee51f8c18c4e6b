// PTX text as tokens (PTX ISA, "Syntax").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emu::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    kWord,     // an identifier: "%r1", "foo", "_"
    kDotWord,  // what follows a dot, which `text` has not: "shared::cluster", "v4", "x"
    kInteger,  // bits, and is_unsigned
    kFloat,    // bits of a double: 1.5, 0d...
    kSingle,   // bits of a float: 0f...
    kString,   // without its quotes, escapes as they stand
    kSymbol,   // punctuation: one character, or << >> <= >= == != && ||
    kEnd,
  };
  Kind kind = Kind::kEnd;
  bool glued = false;        // nothing between it and the token before
  bool is_unsigned = false;  // of an integer: U, or too large for 64 signed bits
  int line = 0;
  std::uint64_t bits = 0;
  std::string_view text;  // into the text that was given

  bool Is(const char* symbol) const { return kind == Kind::kSymbol && text == symbol; }
};

// The last token is kEnd. `text`, which begins in `line`, must outlive the tokens. Throws SyntaxError.
std::vector<Token> Tokenize(std::string_view text, int line = 1);

// For messages: "'foo'", "the end of the text".
std::string Describe(const Token& token);

}  // namespace emu::ptx
