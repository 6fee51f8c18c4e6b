// The parser of a module, in its parts: parser.cc (module, functions), declaration.cc and initializer.cc (variables),
// body.cc (statements), operand.cc.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/emulator/ptx/module.h"
#include "tools/emulator/ptx/names.h"
#include "tools/emulator/ptx/tokens.h"

namespace emu::ptx {

// ".extern .visible .weak .common" in front of a declaration.
struct Linkage {
  bool external = false;
  bool visible = false;
};

// What stands between the state space and the name: ".align 8 .v2 .u32".
struct Specifiers {
  Type type = Type::kNone;
  std::uint32_t vector = 1;
  std::uint32_t align = 0;  // 0: natural
  bool opaque = false;      // .texref, .samplerref, .surfref: kept as 64 bits
};

// declaration.cc. `what` for messages: "a parameter".
Specifiers ParseSpecifiers(Tokens& tokens, const char* what);
// The brackets behind the name, into `variable` and `dimensions` (0 for []). Checks the size.
void ParseDimensions(Tokens& tokens, Variable& variable, std::vector<std::uint64_t>& dimensions);
// A variable's type, alignment and dimensions: what `specifiers` say, and the name and brackets that come next.
Variable ParseDeclarator(Tokens& tokens, Space space, const Specifiers& specifiers,
                         std::vector<std::uint64_t>& dimensions);
// "(.param .u32 a, .reg .pred p)", parentheses included, laid out one behind the other; the block's size in `bytes`.
std::vector<Variable> ParseParameters(Tokens& tokens, std::uint64_t* bytes);
// kNone when it is no state space of variables.
Space ParseSpace(std::string_view word);

// initializer.cc. What follows "=": sets bytes and patches, and the elements of a variable declared with [].
void ParseInitializer(Tokens& tokens, const std::vector<std::uint64_t>& dimensions, Variable& variable);

// Names at module scope.
struct ModuleName {
  bool function = false;
  bool defined = false;
  std::uint64_t element_bytes = 0;  // of a variable
};

class Parser {
 public:
  // With `all_but_kernels` it and the text must outlive the module, for Complete().
  explicit Parser(std::string_view text, bool all_but_kernels = false)
      : tokens_(text), all_but_kernels_(all_but_kernels), module_(std::make_unique<Module>()) {}
  std::unique_ptr<Module> Run();
  // Reads the body of a function of the module that Run() has given.
  void Complete(Function& function);

 private:
  friend class BodyParser;

  void Statement();
  void Directive();
  void Version();
  void Target();
  void AddressSize();
  void Alias();
  void Variables(const Linkage& linkage, Space space);
  void ParseFunction(bool entry);
  bool SkipBody(const Function& function);
  void Header(Function& function);
  bool Tuning(Function& function);
  std::array<std::uint32_t, 3> Dimensions(const char* what);
  void Declare(const std::string& name, const ModuleName& what);
  void Finish();

  // A name that was used before it can be known whether it exists.
  struct Awaited {
    std::string name;
    int line;
  };

  struct AliasOf {
    std::string alias, of;
    int line;
  };

  Tokens tokens_;
  bool all_but_kernels_;
  // Text behind a body's "{", to its "}", and the line that it begins in. Tokens of all bodies would take ten times the text's room.
  struct Unread {
    std::string_view body;
    int line;
  };
  std::unordered_map<std::string, Unread> unread_;  // by the kernel's name
  std::unique_ptr<Module> module_;
  std::unordered_map<std::string, ModuleName> names_;
  std::vector<Awaited> awaited_;
  std::vector<AliasOf> aliases_;
  bool versioned_ = false;
};

// Directives that the emulator has no use for: .file, .loc, .section, .pragma. False when the next token is none.
bool SkipDirective(Tokens& tokens);
// ".attribute(.managed)", ".unified": false when the next token is none.
bool SkipAttribute(Tokens& tokens);

// The statements between a function's braces.
class BodyParser {
 public:
  BodyParser(Parser& parser, Function& function);
  // Behind the "{", to the "}" that ends the function.
  void Run();

 private:
  void Statement();
  void Directive();
  void Registers();
  void DeclareRegisters(const Specifiers& specifiers);
  int AddRegister(std::string name, Type type, std::uint32_t vector);
  void Variables(const Linkage& linkage, Space space);
  void AddVariable(Variable variable, std::string_view name);
  void DeclareParameters(std::vector<Variable>& params);
  void AddLabel(std::string_view label);
  void AddTable(std::string_view label);
  void ParseInstruction();
  void ParseGuard(Instruction& instruction);
  void End();
  void CheckBranches() const;
  const std::string& Unique(const std::string& name);

  // operand.cc
  Operand ParseOperand(const Instruction& instruction, bool lists);
  Operand ParsePrimary(const Instruction& instruction, bool lists);
  Operand ParseNegated(const Instruction& instruction);
  Operand ParseName(const Instruction& instruction);
  Operand RegisterOperand(const Name& name, std::string_view word);
  Operand SymbolOperand(const Instruction& instruction, const std::string& name, std::uint64_t element_bytes);
  Operand LabelOperand(std::string_view word);
  Operand ParseAddress(const Instruction& instruction);
  Operand ParseGroup(const Instruction& instruction, Operand::Kind kind, const char* close);
  Operand ConstantOperand();
  std::uint64_t Offset();
  void Resolve(Operand& operand);

  // A label that was named before it can be known where it is. Operand::target holds -2 - its index until the end.
  struct Reference {
    int scope;
    int line;
    std::string_view name;
  };

  Parser& parser_;
  Tokens& tokens_;
  Function& function_;
  Scopes scopes_;
  std::vector<Reference> references_;
  std::vector<std::size_t> referring_;  // instructions with references
  std::unordered_map<std::string, int> used_names_;
  std::vector<std::unique_ptr<std::string>> unique_names_;
  std::size_t last_label_ = 0;  // the largest index that a label has
  int depth_ = 0;
};

}  // namespace emu::ptx
