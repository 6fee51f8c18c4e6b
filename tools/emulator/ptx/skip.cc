// Directives without a meaning for execution.
#include "tools/emulator/ptx/expression.h"
#include "tools/emulator/ptx/parser.h"

namespace emu::ptx {
namespace {

constexpr std::uint64_t kAny = ~std::uint64_t{0};

// From `open` to what closes it.
void SkipBalanced(Tokens& tokens, const char* open, const char* close, const std::string& after) {
  tokens.Expect(open, after);
  for (std::size_t depth = 1; depth > 0;) {
    if (tokens.AtEnd()) tokens.Unexpected(std::string("'") + close + "'");
    const Token& token = tokens.Take();
    if (token.Is(open)) ++depth;
    if (token.Is(close)) --depth;
  }
}

// .file 1 "name" [, time, size]
void SkipFile(Tokens& tokens) {
  ParseSize(tokens, "the number of a file", kAny);
  if (tokens.Peek().kind != Token::Kind::kString) tokens.Unexpected("the name of a file");
  tokens.Take();
  while (tokens.Accept(",")) ParseSize(tokens, "a number of .file", kAny);
}

// .loc 1 20 3 [, function_name label [+ 4], inlined_at 1 10 5]
void SkipPosition(Tokens& tokens) {
  for (int i = 0; i < 3; ++i) ParseSize(tokens, "a number of .loc", kAny);
  while (tokens.Accept(",")) {
    const std::string_view word = tokens.ExpectWord("'function_name' or 'inlined_at'");
    if (word == "function_name") {
      tokens.ExpectWord("a label");
      if (tokens.Accept("+")) ParseSize(tokens, "an offset", kAny);
    } else if (word == "inlined_at") {
      for (int i = 0; i < 3; ++i) ParseSize(tokens, "a number of .loc", kAny);
    } else {
      tokens.Fail("'" + std::string(word) + "' in .loc is not understood");
    }
  }
}

void SkipPragma(Tokens& tokens) {
  do {
    if (tokens.Peek().kind != Token::Kind::kString) tokens.Unexpected("a string");
    tokens.Take();
  } while (tokens.Accept(","));
  tokens.Expect(";", "a pragma");
}

}  // namespace

bool SkipDirective(Tokens& tokens) {
  if (tokens.AcceptDot("loc")) {
    SkipPosition(tokens);
  } else if (tokens.AcceptDot("file")) {
    SkipFile(tokens);
  } else if (tokens.AcceptDot("pragma")) {
    SkipPragma(tokens);
  } else if (tokens.AcceptDot("section")) {
    const Token::Kind kind = tokens.Peek().kind;
    if (kind != Token::Kind::kDotWord && kind != Token::Kind::kWord) tokens.Unexpected("the name of a section");
    tokens.Take();
    SkipBalanced(tokens, "{", "}", "the name of a section");
  } else {
    return false;
  }
  return true;
}

bool SkipAttribute(Tokens& tokens) {
  if (!tokens.AcceptDot("attribute")) return false;
  SkipBalanced(tokens, "(", ")", "'.attribute'");
  return true;
}

}  // namespace emu::ptx
