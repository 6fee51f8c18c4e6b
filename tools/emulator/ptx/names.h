// The scopes of a function: registers, variables and labels by name (PTX ISA, "Identifiers", "Variables").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace emu::ptx {

struct Name {
  enum class Kind : std::uint8_t { kNone, kRegister, kVectorRegister, kVariable };
  Kind kind = Kind::kNone;
  int index = -1;                       // of a register; the first one of a vector's
  std::uint32_t width = 1;              // registers of a vector
  const std::string* unique = nullptr;  // of a variable: its name in the tree, which outlives this
  std::uint64_t element_bytes = 0;      // of a variable
};

// What a label stands for: an instruction, or a table (.branchtargets, .callprototype ...).
struct Label {
  bool table = false;
  int index = -1;
};

// All names are views into the text. The outermost scope has number 0 and is entered at first.
class Scopes {
 public:
  Scopes() : scopes_(1) {}

  void Enter();
  void Leave();  // not of scope 0
  int current() const { return current_; }
  bool nested() const { return current_ != 0; }

  // False when this scope has the name already.
  bool Declare(std::string_view name, const Name& what);
  // name0, name1, ... name<count - 1>: `first`, and those with the next indices.
  bool DeclareRange(std::string_view prefix, std::uint32_t count, const Name& first);
  // In the present scope and those around it; kNone when nothing has the name.
  Name Find(std::string_view name) const;

  bool DeclareLabel(std::string_view name, const Label& label);
  // As seen from `scope`; null when there is none.
  const Label* FindLabel(int scope, std::string_view name) const;

 private:
  struct Range {
    std::uint32_t count;
    Name first;
  };
  struct Scope {
    int parent = -1;
    std::unordered_map<std::string_view, Name> names;
    std::unordered_map<std::string_view, Range> ranges;
    std::unordered_map<std::string_view, Label> labels;
  };
  static Name InRange(const Scope& scope, std::string_view name);

  std::vector<Scope> scopes_;
  int current_ = 0;
};

// "%tid.x", "%laneid", ... (PTX ISA, "Special Registers"): of vectors the components and, without one, the whole.
bool IsSpecialRegister(std::string_view name);

}  // namespace emu::ptx
