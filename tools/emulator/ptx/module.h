// PTX text as a tree: what the parser knows without knowing what an instruction does. Names of registers, labels and
// variables are resolved (PTX ISA, "Syntax", "State Spaces, Types, and Variables", "Instruction Operands").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace emu::ptx {

enum class Space : std::uint8_t { kNone, kReg, kParam, kShared, kGlobal, kLocal, kConst };

enum class Type : std::uint8_t {
  // clang-format off
  kNone, kPred,
  kB8, kB16, kB32, kB64, kB128,
  kU8, kU16, kU32, kU64,
  kS8, kS16, kS32, kS64,
  kF16, kF16x2, kBF16, kBF16x2, kTF32, kF32, kF64,
  kE4M3, kE5M2, kE4M3x2, kE5M2x2, kE2M3x2, kE3M2x2, kE2M1x2, kUE8M0x2,
  kU16x2, kS16x2, kF32x2,
  // clang-format on
};

// ".f32" or "f32" -> kF32; kNone when it is no type.
Type ParseType(const std::string& name);
const char* ToString(Type type);
// Bytes of a value in memory; 0 for kPred and kNone.
std::uint32_t SizeOf(Type type);

// A variable outside the register space: module scope, function scope, or a parameter.
struct Variable {
  std::string name;
  Space space = Space::kNone;
  Type type = Type::kB8;
  std::uint32_t vector = 1;    // 2 or 4 for .v2, .v4
  std::uint64_t elements = 1;  // product of the array's dimensions; 0 for [] (extern shared memory)
  bool array = false;
  std::uint32_t align = 0;   // 0 never: natural alignment when .align is absent
  std::uint64_t offset = 0;  // of a parameter in its function's parameter block
  bool external = false;     // .extern
  bool visible = false;
  // Initial bytes (empty: zeros for .global and .const), and addresses to be added: at byte `at`, of symbol `symbol`.
  struct Patch {
    std::uint64_t at = 0;
    std::string symbol;
    std::int64_t addend = 0;
    bool generic = false;  // generic(symbol)
  };
  std::vector<std::uint8_t> bytes;
  std::vector<Patch> patches;

  std::uint64_t size() const { return SizeOf(type) * vector * elements; }
};

struct Register {
  std::string name;  // as declared; two scopes may have the same
  Type type = Type::kB32;
};

struct Operand {
  enum class Kind : std::uint8_t {
    kRegister,  // reg; negated for !p and -r; name: what a video instruction selects of it ("b0", "h1"), else empty
    kSpecial,  // name: "%tid.x"
    kInteger,  // bits
    kFloat,    // bits: of a double, or (single) of a float, 0d... and 0f...
    kSymbol,   // name of a variable or function, + bits
    kLabel,    // name, and target: index into Function::code; of a Table: its label, and -1
    kAddress,  // [elements[0] + bits]; elements[0] is a register, a symbol or absent ([16]); what follows a comma in the
               // brackets comes behind it: [map, {x, y}] has a kVector as elements[1], [bar, {..}, ..] more
    kVector,  // {elements...}
    kPair,    // elements[0] | elements[1]
    kSink,    // _
    kList,    // (a, b) of a call
  };
  Kind kind = Kind::kSink;
  bool negated = false;
  bool single = false;
  int reg = -1;
  int target = -1;
  std::uint64_t bits = 0;
  std::string name;
  std::vector<Operand> elements;
};

struct Instruction {
  std::string opcode;                  // "cp"
  std::vector<std::string> modifiers;  // "async", "bulk", "tensor", "3d", "shared::cluster", ...
  int guard = -1;                      // register of @p
  bool guard_negated = false;
  std::vector<Operand> operands;
  int line = 0;

  bool Has(const char* modifier) const;
  // "cp.async.bulk.tensor.3d"
  std::string Name() const;
};

// .branchtargets of brx.idx, .calltargets, .callprototype: by label.
struct Table {
  std::string label;
  std::vector<Operand> targets;
};

struct Function {
  std::string name;
  bool entry = false;
  bool declared_only = false;     // no body
  bool unread = false;            // ParseAllButKernels() left the body for Module::Complete()
  std::vector<Variable> results;  // of a .func
  std::vector<Variable> params;
  std::uint64_t param_bytes = 0;
  std::vector<Register> registers;  // those of results and params in the register space first, in that order
  std::vector<Variable> variables;  // .local, .shared and .param declared in the body; names made unique
  std::vector<Instruction>
      code;  // labels and directives are gone; a way to the "}" ends with a ret of its line
  std::vector<Table> tables;
  std::array<std::uint32_t, 3> max_threads{0, 0, 0};       // .maxntid; zeros when absent
  std::array<std::uint32_t, 3> required_threads{0, 0, 0};  // .reqntid
  std::array<std::uint32_t, 3> required_cluster{0, 0, 0};  // .reqnctapercluster
  std::uint32_t max_registers = 0;                         // .maxnreg
  std::uint32_t min_ctas = 0;                              // .minnctapersm
  std::uint32_t max_cluster = 0;                           // .maxclusterrank
  bool explicit_cluster = false;                           // .explicitcluster
  int line = 0;
};

class Parser;

struct Module {
  int version = 0;     // 90 for 9.0
  std::string target;  // "sm_90a"
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::shared_ptr<Parser> parser;  // where it has functions that are unread

  const Function* Find(const std::string& name) const;
  const Variable* FindVariable(const std::string& name) const;
  // Reads the body of one of `functions` if it is unread. Throws SyntaxError.
  void Complete(const Function& function) const;
};

// The text is no PTX that the parser understands.
class SyntaxError : public std::runtime_error {
 public:
  SyntaxError(int line, const std::string& message);  // "PTX line 12: ..."
  int line() const { return line_; }

 private:
  int line_;
};

// Throws SyntaxError.
std::unique_ptr<Module> Parse(const std::string& text);
// For who wants few of many kernels: bodies of kernels stay unread, and mistakes in them unseen, but for those that declare
// global or constant variables, which are the module's. `text` must outlive the module.
std::unique_ptr<Module> ParseAllButKernels(const std::string& text);

// For each branch, where the lanes that part at it meet again: the index of the first instruction of its immediate
// post-dominator, code.size() when that is the end of the function; -1 for what is no branch. Ways on which lanes go for
// good do not count where there are others: into a trap or an endless loop and, in a kernel, straight to a ret or exit; and
// nobody meets at a kernel's last ret, so that lanes that are done exit without waiting for others.
std::vector<int> Reconvergence(const Function& function);

// A storage number for each register, shared by registers of one class whose values never live at the same time. Two
// registers of different classes never share.
struct Allocation {
  enum Class : std::uint8_t { kPredicate, kBits16, kBits32, kBits64, kBits128 };
  std::vector<Class> classes;        // per register
  std::vector<int> slots;            // per register, within its class
  std::array<int, 5> slot_counts{};  // per class
};
// Registers of asynchronous instructions (wgmma) share with nobody: they are busy after their last appearance. Nor do
// registers that are parameters. What an instruction writes shares with nothing that it reads.
Allocation AllocateRegisters(const Function& function);

}  // namespace emu::ptx
