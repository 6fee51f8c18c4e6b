// Statements of a function.
#include <algorithm>

#include "tools/emulator/ptx/expression.h"
#include "tools/emulator/ptx/parser.h"

namespace emu::ptx {
namespace {

constexpr std::size_t kMaxRegisters = std::size_t{1} << 20;
constexpr std::size_t kMaxInstructions = std::size_t{1} << 24;

// Names of a vector register's elements (PTX ISA, "Vectors as Operands").
constexpr const char* kComponents[] = {".x", ".y", ".z", ".w"};

// The number in "%r<10>": no expression, in which ">" would be an operator.
std::size_t ParseCount(Tokens& tokens) {
  const Token& token = tokens.Peek();
  if (token.kind != Token::Kind::kInteger) tokens.Unexpected("the number of registers");
  if (token.bits > kMaxRegisters) tokens.Fail("too many registers");
  tokens.Take();
  return token.bits;
}

bool EndsFunction(const Instruction& instruction) {
  if (instruction.guard >= 0) return false;
  const std::string& opcode = instruction.opcode;
  return opcode == "ret" || opcode == "exit" || opcode == "trap" || opcode == "bra" || opcode == "brx";
}

}  // namespace

BodyParser::BodyParser(Parser& parser, Function& function)
    : parser_(parser), tokens_(parser.tokens_), function_(function) {}

void BodyParser::Run() {
  DeclareParameters(function_.results);
  DeclareParameters(function_.params);
  scopes_.Enter();
  for (depth_ = 1; depth_ > 0;) Statement();
}

void BodyParser::DeclareParameters(std::vector<Variable>& params) {
  for (Variable& param : params) {
    Name name;
    if (param.space == Space::kReg) {
      name.kind = param.vector > 1 ? Name::Kind::kVectorRegister : Name::Kind::kRegister;
      name.width = param.vector;
      name.index = AddRegister(param.name, param.type, param.vector);
    } else {
      name.kind = Name::Kind::kVariable;
      name.unique = &Unique(param.name);
      name.element_bytes = SizeOf(param.type) * param.vector;
    }
    // The scopes hold a view of the name that the text has. "_" stands for a name that nobody needs.
    const std::string& written = *unique_names_.emplace_back(std::make_unique<std::string>(param.name));
    const bool is_new = scopes_.Declare(written, name);
    if (!is_new && written != "_") tokens_.Fail("two parameters have the name '" + written + "'");
    if (name.unique != nullptr) param.name = *name.unique;
  }
}

void BodyParser::Statement() {
  const Token& token = tokens_.Peek();
  switch (token.kind) {
    case Token::Kind::kDotWord:
      return Directive();
    case Token::Kind::kWord:
      if (!tokens_.Peek(1).Is(":")) return ParseInstruction();
      tokens_.Take();
      tokens_.Take();
      return AddLabel(token.text);
    case Token::Kind::kSymbol:
      if (token.Is("@")) return ParseInstruction();
      if (tokens_.Accept(";")) return;
      if (tokens_.Accept("{")) {
        ++depth_;
        return scopes_.Enter();
      }
      if (token.Is("}")) {
        if (--depth_ == 0) End();
        tokens_.Take();
        return scopes_.Leave();
      }
      break;
    default:
      break;
  }
  tokens_.Unexpected("a statement of '" + function_.name + "'");
}

void BodyParser::Directive() {
  if (SkipDirective(tokens_)) return;
  if (tokens_.AcceptDot("reg")) return Registers();
  Linkage linkage;
  while (tokens_.AcceptDot("extern")) linkage.external = true;
  const Space space =
      tokens_.Peek().kind == Token::Kind::kDotWord ? ParseSpace(tokens_.Peek().text) : Space::kNone;
  if (space == Space::kNone)
    tokens_.Fail("the directive " + Describe(tokens_.Peek()) + " in a function is not understood");
  tokens_.Take();
  Variables(linkage, space);
}

// "%r<10>, %x, %y": of one type.
void BodyParser::Registers() {
  const Specifiers specifiers = ParseSpecifiers(tokens_, "a register");
  do {
    DeclareRegisters(specifiers);
  } while (tokens_.Accept(","));
  tokens_.Expect(";", "the declaration of registers");
}

void BodyParser::DeclareRegisters(const Specifiers& specifiers) {
  const std::string_view name = tokens_.ExpectWord("the name of a register");
  if (specifiers.vector > 4) tokens_.Fail("a vector register has at most 4 elements");
  Name what;
  what.kind = specifiers.vector > 1 ? Name::Kind::kVectorRegister : Name::Kind::kRegister;
  what.width = specifiers.vector;
  what.index = static_cast<int>(function_.registers.size());
  bool is_new = false;
  if (tokens_.Accept("<")) {
    const auto count = static_cast<std::uint32_t>(ParseCount(tokens_));
    tokens_.Expect(">", "the number of registers");
    for (std::uint32_t i = 0; i < count; ++i) {
      AddRegister(std::string(name) + std::to_string(i), specifiers.type, specifiers.vector);
    }
    is_new = scopes_.DeclareRange(name, count, what);
  } else {
    AddRegister(std::string(name), specifiers.type, specifiers.vector);
    is_new = scopes_.Declare(name, what);
  }
  if (!is_new) tokens_.Fail("'" + std::string(name) + "' is declared twice");
}

int BodyParser::AddRegister(std::string name, Type type, std::uint32_t vector) {
  const std::size_t first = function_.registers.size();
  if (first + vector > kMaxRegisters) tokens_.Fail("the function has too many registers");
  if (vector == 1) {
    function_.registers.push_back({std::move(name), type});
  } else {
    for (std::uint32_t i = 0; i < vector; ++i) function_.registers.push_back({name + kComponents[i & 3], type});
  }
  return static_cast<int>(first);
}

void BodyParser::Variables(const Linkage& linkage, Space space) {
  const Specifiers specifiers = ParseSpecifiers(tokens_, "a variable");
  do {
    const int line = tokens_.line();
    const std::string_view name = tokens_.Peek().text;
    std::vector<std::uint64_t> dimensions;
    Variable variable = ParseDeclarator(tokens_, space, specifiers, dimensions);
    variable.external = linkage.external;
    if (tokens_.Accept("=")) {
      if (space != Space::kGlobal && space != Space::kConst) {
        tokens_.Fail("only .global and .const variables can have an initial value");
      }
      ParseInitializer(tokens_, dimensions, variable);
      for (const Variable::Patch& patch : variable.patches) parser_.awaited_.push_back({patch.symbol, line});
    }
    AddVariable(std::move(variable), name);
  } while (tokens_.Accept(","));
  tokens_.Expect(";", "the declaration of a variable");
}

// Variables in global and constant memory exist once, whoever runs the function: they become the module's.
void BodyParser::AddVariable(Variable variable, std::string_view name) {
  Name what;
  what.kind = Name::Kind::kVariable;
  what.unique = &Unique(variable.name);
  what.element_bytes = SizeOf(variable.type) * variable.vector;
  if (!scopes_.Declare(name, what)) tokens_.Fail("'" + variable.name + "' is declared twice");
  variable.name = *what.unique;
  if (variable.space == Space::kGlobal || variable.space == Space::kConst) {
    parser_.Declare(variable.name, {false, true, what.element_bytes});
    parser_.module_->variables.push_back(std::move(variable));
  } else {
    function_.variables.push_back(std::move(variable));
  }
}

// The name itself, or with a number behind "@", which no name in a text has.
const std::string& BodyParser::Unique(const std::string& name) {
  int& number = used_names_[name];
  std::string unique = name;
  while (number > 0 || parser_.names_.contains(unique)) {
    unique = name + "@" + std::to_string(++number);
    if (!parser_.names_.contains(unique)) break;
  }
  number = std::max(number, 1);
  return *unique_names_.emplace_back(std::make_unique<std::string>(std::move(unique)));
}

void BodyParser::AddLabel(std::string_view label) {
  bool is_new = false;
  if (tokens_.Peek().kind == Token::Kind::kDotWord &&
      (tokens_.Peek().text == "branchtargets" || tokens_.Peek().text == "calltargets" ||
       tokens_.Peek().text == "callprototype")) {
    is_new = scopes_.DeclareLabel(label, {true, static_cast<int>(function_.tables.size())});
    AddTable(label);
  } else {
    last_label_ = function_.code.size();
    is_new = scopes_.DeclareLabel(label, {false, static_cast<int>(last_label_)});
  }
  if (!is_new) tokens_.Fail("the label '" + std::string(label) + "' occurs twice");
}

void BodyParser::AddTable(std::string_view label) {
  Table table;
  table.label = Unique(std::string(label));
  if (tokens_.AcceptDot("callprototype")) {
    if (tokens_.Peek().Is("(")) ParseParameters(tokens_, nullptr);
    tokens_.ExpectWord("'_'");
    if (tokens_.Peek().Is("(")) ParseParameters(tokens_, nullptr);
    Function ignored;
    parser_.Header(ignored);
  } else {
    tokens_.Take();
    do {
      table.targets.push_back(LabelOperand(tokens_.ExpectWord("a label or a function")));
    } while (tokens_.Accept(","));
  }
  tokens_.Expect(";", "a list of targets");
  function_.tables.push_back(std::move(table));
}

void BodyParser::ParseGuard(Instruction& instruction) {
  if (!tokens_.Accept("@")) return;
  instruction.guard_negated = tokens_.Accept("!");
  const std::string_view word = tokens_.ExpectWord("a predicate after '@'");
  const Name name = scopes_.Find(word);
  if (name.kind != Name::Kind::kRegister) tokens_.Fail("the guard '" + std::string(word) + "' is not declared");
  instruction.guard = name.index;
  if (function_.registers[static_cast<std::size_t>(name.index)].type != Type::kPred) {
    tokens_.Fail("the guard '" + std::string(word) + "' is not a predicate");
  }
}

void BodyParser::ParseInstruction() {
  if (function_.code.size() >= kMaxInstructions) tokens_.Fail("the function has too many instructions");
  Instruction& instruction = function_.code.emplace_back();
  ParseGuard(instruction);
  instruction.line = tokens_.line();
  instruction.opcode = tokens_.ExpectWord("an instruction");
  while (tokens_.Peek().kind == Token::Kind::kDotWord) instruction.modifiers.emplace_back(tokens_.Take().text);
  const std::size_t references = references_.size();
  if (!tokens_.Peek().Is(";")) {
    const bool lists = instruction.opcode == "call";
    do {
      instruction.operands.push_back(ParseOperand(instruction, lists));
    } while (tokens_.Accept(","));
  }
  if (!tokens_.Peek().Is(";"))
    tokens_.Unexpected("',' or ';' after an operand of '" + instruction.opcode + "'");
  tokens_.Take();
  if (references_.size() > references) referring_.push_back(function_.code.size() - 1);
}

void BodyParser::End() {
  for (const std::size_t i : referring_) {
    for (Operand& operand : function_.code[i].operands) Resolve(operand);
  }
  for (Table& table : function_.tables) {
    for (Operand& operand : table.targets) Resolve(operand);
  }
  CheckBranches();
  // The end of the body is a return (PTX ISA, "ret"): no label stands behind the last instruction.
  if (function_.code.empty() || last_label_ == function_.code.size() || !EndsFunction(function_.code.back())) {
    Instruction& ret = function_.code.emplace_back();
    ret.opcode = "ret";
    ret.line = tokens_.line();
  }
}

// That branches lead to instructions.
void BodyParser::CheckBranches() const {
  const auto is_label = [](const Operand& operand) {
    return operand.kind == Operand::Kind::kLabel && operand.target >= 0;
  };
  for (const Instruction& instruction : function_.code) {
    const std::vector<Operand>& operands = instruction.operands;
    if (instruction.opcode == "bra" && (operands.size() != 1 || !is_label(operands[0]))) {
      throw SyntaxError(instruction.line, "the target of 'bra' must be a label");
    }
    if (instruction.opcode != "brx") continue;
    const Table* targets = nullptr;
    for (const Table& table : function_.tables) {
      if (operands.size() == 2 && operands[1].kind == Operand::Kind::kLabel &&
          operands[1].name == table.label) {
        targets = &table;
      }
    }
    if (targets == nullptr)
      throw SyntaxError(instruction.line, "the target of 'brx' must be a list of .branchtargets");
    if (!std::all_of(targets->targets.begin(), targets->targets.end(), is_label)) {
      throw SyntaxError(instruction.line, "a target of 'brx' must be a label");
    }
  }
}

}  // namespace emu::ptx
