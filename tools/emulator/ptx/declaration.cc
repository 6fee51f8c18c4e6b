#include <bit>

#include "tools/emulator/ptx/expression.h"
#include "tools/emulator/ptx/parser.h"

namespace emu::ptx {
namespace {

constexpr std::uint64_t kMaxVariableBytes = std::uint64_t{1} << 40;

std::uint32_t ParseAlignment(Tokens& tokens) {
  const std::uint64_t align = ParseSize(tokens, "an alignment", 1u << 20);
  if (!std::has_single_bit(align)) tokens.Fail("an alignment must be a power of two");
  return static_cast<std::uint32_t>(align);
}

// ".ptr .global .align 16" of a kernel's parameter says what it points to: nothing that the emulator relies on.
void SkipPointee(Tokens& tokens) {
  static constexpr const char* kSpaces[] = {"global", "const", "shared", "local", "param", "generic"};
  for (const char* space : kSpaces) {
    if (tokens.AcceptDot(space)) break;
  }
  if (tokens.AcceptDot("align")) ParseAlignment(tokens);
}

bool ParseVector(std::string_view word, Specifiers& specifiers) {
  if (word != "v2" && word != "v4" && word != "v8") return false;
  specifiers.vector = static_cast<std::uint32_t>(word[1] - '0');
  return true;
}

}  // namespace

Space ParseSpace(std::string_view word) {
  if (word == "param") return Space::kParam;
  if (word == "shared" || word == "shared::cta") return Space::kShared;
  if (word == "global") return Space::kGlobal;
  if (word == "local") return Space::kLocal;
  if (word == "const") return Space::kConst;
  return Space::kNone;
}

Specifiers ParseSpecifiers(Tokens& tokens, const char* what) {
  Specifiers specifiers;
  while (tokens.Peek().kind == Token::Kind::kDotWord) {
    if (SkipAttribute(tokens)) continue;
    const std::string word(tokens.Peek().text);
    if (word == "texref" || word == "samplerref" || word == "surfref") {
      specifiers.opaque = true;
      specifiers.type = Type::kB64;
    } else if (const Type type = ParseType(word); type != Type::kNone) {
      if (specifiers.type != Type::kNone) tokens.Fail(std::string(what) + " has two types");
      specifiers.type = type;
    } else if (!ParseVector(word, specifiers) && word != "align" && word != "ptr") {
      tokens.Fail("'." + word + "' in the declaration of " + what + " is not understood");
    }
    tokens.Take();
    if (word == "align") specifiers.align = ParseAlignment(tokens);
    if (word == "ptr") SkipPointee(tokens);
  }
  if (specifiers.type == Type::kNone) tokens.Unexpected(std::string("a type of ") + what);
  return specifiers;
}

void ParseDimensions(Tokens& tokens, Variable& variable, std::vector<std::uint64_t>& dimensions) {
  dimensions.clear();
  const std::uint64_t bytes = std::max(SizeOf(variable.type) * variable.vector, 1u);
  std::uint64_t elements = 1;  // rows of a dimension that is 0 count as one
  while (tokens.Accept("[")) {
    variable.array = true;
    std::uint64_t dimension = 0;
    if (!tokens.Peek().Is("]")) {
      dimension = ParseSize(tokens, "the size of an array", kMaxVariableBytes);
    } else if (!dimensions.empty()) {
      tokens.Fail("only the first dimension of an array can be left out");
    }
    tokens.Expect("]", "the size of an array");
    if (dimension == 0 && !dimensions.empty()) tokens.Fail("only the first dimension of an array can be 0");
    dimensions.push_back(dimension);
    if (__builtin_mul_overflow(elements, std::max<std::uint64_t>(dimension, 1), &elements) ||
        elements > kMaxVariableBytes / bytes) {
      tokens.Fail("the array is too large");
    }
  }
  variable.elements = !dimensions.empty() && dimensions[0] == 0 ? 0 : elements;
}

Variable ParseDeclarator(Tokens& tokens, Space space, const Specifiers& specifiers,
                         std::vector<std::uint64_t>& dimensions) {
  Variable variable;
  variable.name = tokens.ExpectWord("a name");
  variable.space = space;
  variable.type = specifiers.type;
  variable.vector = specifiers.vector;
  const std::uint32_t natural = SizeOf(specifiers.type) * specifiers.vector;
  variable.align = specifiers.align != 0 ? specifiers.align : std::max(natural, 1u);
  ParseDimensions(tokens, variable, dimensions);
  if (space != Space::kReg && SizeOf(specifiers.type) == 0)
    tokens.Fail("a variable in memory cannot be a predicate");
  return variable;
}

std::vector<Variable> ParseParameters(Tokens& tokens, std::uint64_t* bytes) {
  std::vector<Variable> params;
  std::vector<std::uint64_t> dimensions;
  std::uint64_t end = 0;
  tokens.Expect("(", "the name of a function");
  while (!tokens.Peek().Is(")")) {
    if (!params.empty()) tokens.Expect(",", "a parameter");
    const bool is_register = tokens.AcceptDot("reg");
    if (!is_register && !tokens.AcceptDot("param")) tokens.Unexpected("'.param'");
    const Specifiers specifiers = ParseSpecifiers(tokens, "a parameter");
    Variable param = ParseDeclarator(tokens, is_register ? Space::kReg : Space::kParam, specifiers, dimensions);
    if (!is_register) {
      param.offset = (end + param.align - 1) / param.align * param.align;
      end = param.offset + param.size();
    }
    params.push_back(std::move(param));
  }
  tokens.Take();
  if (bytes != nullptr) *bytes = end;
  return params;
}

}  // namespace emu::ptx
