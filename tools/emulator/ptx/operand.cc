#include "tools/emulator/ptx/expression.h"
#include "tools/emulator/ptx/parser.h"

namespace emu::ptx {
namespace {

// A component's index (PTX ISA, "Vectors as Operands"); -1 when it is none.
int Component(std::string_view word) {
  static constexpr std::string_view kPositions = "xyzw", kColors = "rgba";
  if (word.size() != 1) return -1;
  const std::size_t position = std::min(kPositions.find(word[0]), kColors.find(word[0]));
  return position == std::string_view::npos ? -1 : static_cast<int>(position);
}

// Parts of a register that the video instructions select (PTX ISA, "Scalar Video Instructions").
bool IsSelector(std::string_view word) {
  return word == "b0" || word == "b1" || word == "b2" || word == "b3" || word == "h0" || word == "h1" ||
         word == "b10" || word == "b32" || word == "b3210" || word == "h10";
}

}  // namespace

Operand BodyParser::ParseOperand(const Instruction& instruction, bool lists) {
  const Tokens::Nesting nesting(tokens_);
  Operand first = ParsePrimary(instruction, lists);
  if (!tokens_.Peek().Is("|")) return first;
  tokens_.Take();
  Operand pair;
  pair.kind = Operand::Kind::kPair;
  pair.elements.push_back(std::move(first));
  pair.elements.push_back(ParsePrimary(instruction, false));
  return pair;
}

Operand BodyParser::ParsePrimary(const Instruction& instruction, bool lists) {
  const Token& token = tokens_.Peek();
  if (token.kind == Token::Kind::kWord && token.text != "WARP_SZ") return ParseName(instruction);
  if (token.Is("{")) return ParseGroup(instruction, Operand::Kind::kVector, "}");
  if (token.Is("(") && lists) return ParseGroup(instruction, Operand::Kind::kList, ")");
  if (token.Is("[")) return ParseAddress(instruction);
  const Token& next = tokens_.Peek(1);
  if ((token.Is("!") || token.Is("-")) && next.kind == Token::Kind::kWord && next.text != "WARP_SZ") {
    return ParseNegated(instruction);
  }
  if (!BeginsConstant(tokens_)) tokens_.Unexpected("an operand of '" + instruction.opcode + "'");
  return ConstantOperand();
}

Operand BodyParser::ConstantOperand() {
  const Constant value = ParseConstant(tokens_);
  Operand operand;
  operand.kind = value.kind == Constant::Kind::kInteger ? Operand::Kind::kInteger : Operand::Kind::kFloat;
  operand.single = value.kind == Constant::Kind::kSingle;
  operand.bits = value.bits;
  return operand;
}

Operand BodyParser::ParseNegated(const Instruction& instruction) {
  tokens_.Take();
  const std::string word(tokens_.Peek().text);
  Operand operand = ParseName(instruction);
  if (operand.kind != Operand::Kind::kRegister) tokens_.Fail("'" + word + "' is negated, but is no register");
  operand.negated = true;
  return operand;
}

// "{a, b}", "(a, b)", "()".
Operand BodyParser::ParseGroup(const Instruction& instruction, Operand::Kind kind, const char* close) {
  tokens_.Take();
  Operand group;
  group.kind = kind;
  if (kind == Operand::Kind::kList && tokens_.Accept(close)) return group;
  do {
    group.elements.push_back(ParseOperand(instruction, false));
  } while (tokens_.Accept(","));
  tokens_.Expect(close, "an operand of '" + instruction.opcode + "'");
  return group;
}

Operand BodyParser::ParseName(const Instruction& instruction) {
  const std::string_view word = tokens_.Take().text;
  if (word == "_") return {};
  if (instruction.opcode == "bra") return LabelOperand(word);
  const Name name = scopes_.Find(word);
  if (name.kind == Name::Kind::kVariable) return SymbolOperand(instruction, *name.unique, name.element_bytes);
  if (name.kind != Name::Kind::kNone) return RegisterOperand(name, word);
  if (word[0] == '%') {
    Operand operand;
    operand.kind = Operand::Kind::kSpecial;
    operand.name = word;
    const Token& next = tokens_.Peek();
    if (next.kind == Token::Kind::kDotWord && next.glued)
      operand.name += "." + std::string(tokens_.Take().text);
    if (!IsSpecialRegister(operand.name)) tokens_.Fail("the register '" + operand.name + "' is not declared");
    return operand;
  }
  const auto known = parser_.names_.find(std::string(word));
  if (known != parser_.names_.end())
    return SymbolOperand(instruction, known->first, known->second.element_bytes);
  return LabelOperand(word);
}

Operand BodyParser::RegisterOperand(const Name& name, std::string_view word) {
  Operand operand;
  operand.kind = Operand::Kind::kRegister;
  operand.reg = name.index;
  const Token& next = tokens_.Peek();
  const bool selects = next.kind == Token::Kind::kDotWord && next.glued;
  if (name.kind == Name::Kind::kRegister) {
    if (!selects) return operand;
    if (!IsSelector(next.text)) tokens_.Fail("'" + std::string(word) + "' has no part " + Describe(next));
    operand.name = tokens_.Take().text;
    return operand;
  }
  if (selects) {
    const int component = Component(next.text);
    if (component < 0 || component >= static_cast<int>(name.width)) {
      tokens_.Fail("the vector '" + std::string(word) + "' has no component " + Describe(next));
    }
    tokens_.Take();
    operand.reg += component;
    return operand;
  }
  Operand vector;
  vector.kind = Operand::Kind::kVector;
  for (std::uint32_t i = 0; i < name.width; ++i, ++operand.reg) vector.elements.push_back(operand);
  return vector;
}

// "+ 4", "- 4", or nothing.
std::uint64_t BodyParser::Offset() {
  if (!tokens_.Peek().Is("+") && !tokens_.Peek().Is("-")) return 0;
  const Constant offset = ParseConstant(tokens_);
  if (offset.kind != Constant::Kind::kInteger) tokens_.Fail("an offset must be an integer");
  return offset.bits;
}

// "foo", "foo + 4", "foo[2]": the last is an address where the instruction takes a memory operand, else foo's third
// element (PTX ISA, "Arrays as Operands").
Operand BodyParser::SymbolOperand(const Instruction& instruction, const std::string& name,
                                  std::uint64_t element_bytes) {
  Operand symbol;
  symbol.kind = Operand::Kind::kSymbol;
  symbol.name = name;
  if (!tokens_.Accept("[")) {
    symbol.bits = Offset();
    return symbol;
  }
  const std::uint64_t index = ParseSize(tokens_, "an index", std::uint64_t{1} << 40);
  tokens_.Expect("]", "an index");
  const std::uint64_t offset = index * element_bytes;
  if (instruction.opcode == "mov" || instruction.opcode == "cvta") {
    symbol.bits = offset;
    return symbol;
  }
  Operand address;
  address.kind = Operand::Kind::kAddress;
  address.bits = offset;
  address.elements.push_back(std::move(symbol));
  return address;
}

Operand BodyParser::LabelOperand(std::string_view word) {
  Operand operand;
  operand.kind = Operand::Kind::kLabel;
  operand.name = word;
  operand.target = -2 - static_cast<int>(references_.size());
  references_.push_back({scopes_.current(), tokens_.line(), word});
  return operand;
}

Operand BodyParser::ParseAddress(const Instruction& instruction) {
  tokens_.Take();
  Operand address;
  address.kind = Operand::Kind::kAddress;
  if (tokens_.Peek().kind == Token::Kind::kWord && tokens_.Peek().text != "WARP_SZ") {
    Operand base = ParseName(instruction);
    const bool is_register = base.kind == Operand::Kind::kRegister && base.name.empty();
    if (!is_register && base.kind != Operand::Kind::kSymbol && base.kind != Operand::Kind::kLabel) {
      tokens_.Fail("an address begins with a register, a variable or a number");
    }
    address.bits = base.bits;
    if (is_register) address.bits = Offset();
    base.bits = 0;
    address.elements.push_back(std::move(base));
  } else {
    const Constant value = ParseConstant(tokens_);
    if (value.kind != Constant::Kind::kInteger) tokens_.Fail("an address must be an integer");
    address.bits = value.bits;
    if (tokens_.Peek().Is(","))
      tokens_.Fail("the first of several operands of an address must be a register or a variable");
  }
  while (tokens_.Accept(",")) address.elements.push_back(ParseOperand(instruction, false));
  tokens_.Expect("]", "an address");
  return address;
}

// A label, a table, or a variable or function that was declared only after its use.
void BodyParser::Resolve(Operand& operand) {
  for (Operand& element : operand.elements) Resolve(element);
  if (operand.kind != Operand::Kind::kLabel || operand.target > -2) return;
  const Reference& reference = references_[static_cast<std::size_t>(-2 - operand.target)];
  operand.target = -1;
  if (const Label* label = scopes_.FindLabel(reference.scope, reference.name); label != nullptr) {
    if (label->table) {
      operand.name = function_.tables[static_cast<std::size_t>(label->index)].label;
    } else {
      operand.target = label->index;
    }
  } else if (parser_.names_.contains(operand.name)) {
    operand.kind = Operand::Kind::kSymbol;
  } else {
    throw SyntaxError(reference.line, "'" + operand.name + "' is not declared");
  }
}

}  // namespace emu::ptx
