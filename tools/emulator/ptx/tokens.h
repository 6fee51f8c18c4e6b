// Reading tokens in order.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/emulator/ptx/lexer.h"

namespace emu::ptx {

class Tokens {
 public:
  explicit Tokens(std::string_view text, int line = 1) : tokens_(Tokenize(text, line)) {}

  const Token& Peek(std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : tokens_.back();
  }
  // The end of the text stays.
  const Token& Take() {
    const Token& token = Peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool AtEnd() const { return Peek().kind == Token::Kind::kEnd; }
  // The next token's number, and to go on from one.
  std::size_t position() const { return at_; }
  void MoveTo(std::size_t position) { at_ = position; }
  int line() const { return Peek().line; }

  bool Accept(const char* symbol) {
    if (!Peek().Is(symbol)) return false;
    Take();
    return true;
  }
  bool AcceptDot(const char* word) {
    if (Peek().kind != Token::Kind::kDotWord || Peek().text != word) return false;
    Take();
    return true;
  }
  // `after` tells where: "the operands of 'add'".
  void Expect(const char* symbol, const std::string& after) {
    if (!Accept(symbol)) Unexpected(std::string("'") + symbol + "' after " + after);
  }
  std::string_view ExpectWord(const char* what) {
    if (Peek().kind != Token::Kind::kWord) Unexpected(what);
    return Take().text;
  }
  // "<wanted> is expected, not <the token>".
  [[noreturn]] void Unexpected(const std::string& wanted) const;
  [[noreturn]] void Fail(const std::string& message) const;

  // Guards the recursion of operands and expressions.
  class Nesting {
   public:
    explicit Nesting(Tokens& tokens) : tokens_(tokens) {
      if (++tokens_.depth_ > kMaxDepth) tokens_.Fail("brackets or operators are nested too deeply");
    }
    ~Nesting() { --tokens_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Tokens& tokens_;
  };

 private:
  static constexpr int kMaxDepth = 100;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace emu::ptx
