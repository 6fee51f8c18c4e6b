#include "tools/emulator/ptx/expression.h"

#include <bit>
#include <charconv>
#include <limits>
#include <string>

namespace emu::ptx {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

struct Operator {
  const char* text;
  int precedence;
};
constexpr Operator kOperators[] = {
    {"*", 10}, {"/", 10}, {"%", 10}, {"+", 9},  {"-", 9}, {"<<", 8}, {">>", 8}, {"<", 7},  {">", 7},
    {"<=", 7}, {">=", 7}, {"==", 6}, {"!=", 6}, {"&", 5}, {"^", 4},  {"|", 3},  {"&&", 2}, {"||", 1},
};

const Operator* BinaryOperator(const Token& token) {
  if (token.kind != Token::Kind::kSymbol) return nullptr;
  for (const Operator& candidate : kOperators) {
    if (token.text == candidate.text) return &candidate;
  }
  return nullptr;
}

Constant Integer(std::uint64_t bits, bool is_unsigned) { return {Constant::Kind::kInteger, is_unsigned, bits}; }

std::uint64_t Divide(Tokens& tokens, std::uint64_t a, std::uint64_t b, bool is_unsigned, bool remainder) {
  if (b == 0) tokens.Fail("a constant is divided by zero");
  if (is_unsigned) return remainder ? a % b : a / b;
  if (b == ~std::uint64_t{0}) return remainder ? 0 : 0 - a;
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  return static_cast<std::uint64_t>(remainder ? x % y : x / y);
}

// Shifts by 64 or more give what an infinitely long shift would.
std::uint64_t Shift(std::uint64_t a, std::uint64_t count, bool right, bool is_unsigned) {
  const bool ones = right && !is_unsigned && (a & kSignBit) != 0;
  if (count >= 64) return ones ? ~std::uint64_t{0} : 0;
  if (!right) return a << count;
  return is_unsigned ? a >> count : static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> count);
}

// -1, 0, 1
int Compare(std::uint64_t a, std::uint64_t b, bool is_unsigned) {
  if (!is_unsigned) {
    a ^= kSignBit;
    b ^= kSignBit;
  }
  return a < b ? -1 : a > b;
}

// Operands are converted as in C: unsigned when one of them is. Comparisons and logic give a signed 0 or 1; a shift has
// the type of its left operand.
Constant Apply(Tokens& tokens, std::string_view op, const Constant& left, const Constant& right) {
  if (left.kind != Constant::Kind::kInteger || right.kind != Constant::Kind::kInteger) {
    tokens.Fail("operators between floating-point constants are not supported");
  }
  const std::uint64_t a = left.bits, b = right.bits;
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  if (op == "*") return Integer(a * b, is_unsigned);
  if (op == "/") return Integer(Divide(tokens, a, b, is_unsigned, false), is_unsigned);
  if (op == "%") return Integer(Divide(tokens, a, b, is_unsigned, true), is_unsigned);
  if (op == "+") return Integer(a + b, is_unsigned);
  if (op == "-") return Integer(a - b, is_unsigned);
  if (op == "<<") return Integer(Shift(a, b, false, left.is_unsigned), left.is_unsigned);
  if (op == ">>") return Integer(Shift(a, b, true, left.is_unsigned), left.is_unsigned);
  if (op == "&") return Integer(a & b, is_unsigned);
  if (op == "^") return Integer(a ^ b, is_unsigned);
  if (op == "|") return Integer(a | b, is_unsigned);
  if (op == "&&") return Integer(a != 0 && b != 0, false);
  if (op == "||") return Integer(a != 0 || b != 0, false);
  const int order = Compare(a, b, is_unsigned);
  if (op == "<") return Integer(order < 0, false);
  if (op == ">") return Integer(order > 0, false);
  if (op == "<=") return Integer(order <= 0, false);
  if (op == ">=") return Integer(order >= 0, false);
  return Integer((order == 0) == (op == "=="), false);
}

// ".5": the lexer takes it for a word behind a dot.
Constant Fraction(Tokens& tokens) {
  const std::string text = "0." + std::string(tokens.Peek().text);
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size()) tokens.Unexpected("a constant");
  tokens.Take();
  return {Constant::Kind::kFloat, false, std::bit_cast<std::uint64_t>(value)};
}

Constant Unary(Tokens& tokens);

// What follows "(": an expression, or "s64)" and what is cast.
Constant Parenthesis(Tokens& tokens) {
  const bool to_signed = tokens.AcceptDot("s64");
  if (to_signed || tokens.AcceptDot("u64")) {
    tokens.Expect(")", "a cast");
    const Constant value = Unary(tokens);
    if (value.kind != Constant::Kind::kInteger) tokens.Fail("a cast of a floating-point constant");
    return Integer(value.bits, !to_signed);
  }
  const Constant value = ParseConstant(tokens);
  tokens.Expect(")", "an expression");
  return value;
}

Constant Negate(const Constant& value) {
  Constant result = value;
  if (value.kind == Constant::Kind::kInteger) result.bits = 0 - value.bits;
  if (value.kind == Constant::Kind::kFloat) result.bits ^= kSignBit;
  if (value.kind == Constant::Kind::kSingle) result.bits ^= 0x80000000u;
  return result;
}

Constant Unary(Tokens& tokens) {
  const Tokens::Nesting nesting(tokens);
  const Token& token = tokens.Peek();
  switch (token.kind) {
    case Token::Kind::kInteger:
      tokens.Take();
      return Integer(token.bits, token.is_unsigned);
    case Token::Kind::kFloat:
      tokens.Take();
      return {Constant::Kind::kFloat, false, token.bits};
    case Token::Kind::kSingle:
      tokens.Take();
      return {Constant::Kind::kSingle, false, token.bits};
    case Token::Kind::kDotWord:
      return Fraction(tokens);
    case Token::Kind::kWord:
      if (token.text != "WARP_SZ") break;
      tokens.Take();
      return Integer(32, false);
    case Token::Kind::kSymbol:
      if (tokens.Accept("(")) return Parenthesis(tokens);
      if (tokens.Accept("+")) return Unary(tokens);
      if (tokens.Accept("-")) return Negate(Unary(tokens));
      if (tokens.Accept("!") || tokens.Accept("~")) {
        const Constant value = Unary(tokens);
        if (value.kind != Constant::Kind::kInteger) tokens.Fail("! or ~ of a floating-point constant");
        return token.text == "!" ? Integer(value.bits == 0, false) : Integer(~value.bits, value.is_unsigned);
      }
      break;
    default:
      break;
  }
  tokens.Unexpected("a constant");
}

Constant Binary(Tokens& tokens, int minimum) {
  Constant left = Unary(tokens);
  for (;;) {
    const Token& token = tokens.Peek();
    const Operator* op = BinaryOperator(token);
    if (op == nullptr || op->precedence < minimum) return left;
    tokens.Take();
    left = Apply(tokens, token.text, left, Binary(tokens, op->precedence + 1));
  }
}

}  // namespace

bool BeginsConstant(const Tokens& tokens) {
  const Token& token = tokens.Peek();
  switch (token.kind) {
    case Token::Kind::kInteger:
    case Token::Kind::kFloat:
    case Token::Kind::kSingle:
      return true;
    case Token::Kind::kDotWord:
      return !token.text.empty() && token.text[0] >= '0' && token.text[0] <= '9';
    case Token::Kind::kWord:
      return token.text == "WARP_SZ";
    case Token::Kind::kSymbol:
      return token.Is("(") || token.Is("-") || token.Is("+") || token.Is("!") || token.Is("~");
    default:
      return false;
  }
}

Constant ParseConstant(Tokens& tokens) {
  const Tokens::Nesting nesting(tokens);
  const Constant condition = Binary(tokens, 1);
  if (!tokens.Accept("?")) return condition;
  const Constant yes = ParseConstant(tokens);
  tokens.Expect(":", "'?'");
  const Constant no = ParseConstant(tokens);
  if (condition.kind != Constant::Kind::kInteger) tokens.Fail("a floating-point constant before '?'");
  Constant result = condition.bits != 0 ? yes : no;
  result.is_unsigned = yes.is_unsigned || no.is_unsigned;
  return result;
}

std::uint64_t ParseSize(Tokens& tokens, const char* what, std::uint64_t limit) {
  const Constant value = ParseConstant(tokens);
  const bool negative = !value.is_unsigned && (value.bits & kSignBit) != 0;
  if (value.kind != Constant::Kind::kInteger || negative || value.bits > limit) {
    tokens.Fail(std::string(what) + " must be an integer from 0 to " + std::to_string(limit));
  }
  return value.bits;
}

}  // namespace emu::ptx
