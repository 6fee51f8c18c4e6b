// Names and sizes of types, and the small members of the tree.
#include <array>
#include <string>

#include "tools/emulator/ptx/module.h"

namespace emu::ptx {
namespace {

struct TypeInfo {
  const char* name;
  std::uint32_t bytes;
};

// In the order of the enumeration.
constexpr std::array<TypeInfo, 33> kTypes{{
    {"", 0},       {"pred", 0},    {"b8", 1},    {"b16", 2},    {"b32", 4},    {"b64", 8},    {"b128", 16},
    {"u8", 1},     {"u16", 2},     {"u32", 4},   {"u64", 8},    {"s8", 1},     {"s16", 2},    {"s32", 4},
    {"s64", 8},    {"f16", 2},     {"f16x2", 4}, {"bf16", 2},   {"bf16x2", 4}, {"tf32", 4},   {"f32", 4},
    {"f64", 8},    {"e4m3", 1},    {"e5m2", 1},  {"e4m3x2", 2}, {"e5m2x2", 2}, {"e2m3x2", 2}, {"e3m2x2", 2},
    {"e2m1x2", 1}, {"ue8m0x2", 2}, {"u16x2", 4}, {"s16x2", 4},  {"f32x2", 8},
}};
static_assert(kTypes.size() == static_cast<std::size_t>(Type::kF32x2) + 1);

}  // namespace

Type ParseType(const std::string& name) {
  const char* bare = name.c_str() + (!name.empty() && name[0] == '.');
  if (*bare == '\0') return Type::kNone;
  for (std::size_t i = 1; i < kTypes.size(); ++i) {
    if (std::string_view(kTypes[i].name) == bare) return static_cast<Type>(i);
  }
  return Type::kNone;
}

const char* ToString(Type type) {
  const auto index = static_cast<std::size_t>(type);
  return index < kTypes.size() ? kTypes[index].name : "";
}

std::uint32_t SizeOf(Type type) {
  const auto index = static_cast<std::size_t>(type);
  return index < kTypes.size() ? kTypes[index].bytes : 0;
}

bool Instruction::Has(const char* modifier) const {
  for (const std::string& have : modifiers) {
    if (have == modifier) return true;
  }
  return false;
}

std::string Instruction::Name() const {
  std::string name = opcode;
  for (const std::string& modifier : modifiers) name += "." + modifier;
  return name;
}

const Function* Module::Find(const std::string& name) const {
  const Function* declaration = nullptr;
  for (const Function& function : functions) {
    if (function.name != name) continue;
    if (!function.declared_only) return &function;
    declaration = &function;
  }
  return declaration;
}

const Variable* Module::FindVariable(const std::string& name) const {
  const Variable* declaration = nullptr;
  for (const Variable& variable : variables) {
    if (variable.name != name) continue;
    if (!variable.external) return &variable;
    declaration = &variable;
  }
  return declaration;
}

SyntaxError::SyntaxError(int line, const std::string& message)
    : std::runtime_error("PTX line " + std::to_string(line) + ": " + message), line_(line) {}

}  // namespace emu::ptx
