// Where operands are kept: ProgramBuilder's part of Lowering.
#include <algorithm>
#include <cstring>

#include "tools/emulator/exec/program_builder.h"
#include "tools/emulator/exec/special.h"

namespace emu {
namespace {

using Kind = ptx::Operand::Kind;

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::uint64_t Align(const ptx::Variable& variable) {
  return std::max<std::uint64_t>({variable.align, ptx::SizeOf(variable.type), 1});
}

template <class To, class From>
To BitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

double FloatValue(const ptx::Operand& operand) {
  return operand.single ? BitsAs<float>(static_cast<std::uint32_t>(operand.bits))
                        : BitsAs<double>(operand.bits);
}

bool IsFloat(ptx::Type type) {
  return type == ptx::Type::kF32 || type == ptx::Type::kF64 || type == ptx::Type::kF16 ||
         type == ptx::Type::kBF16 || type == ptx::Type::kTF32;
}

}  // namespace

std::uint32_t ProgramBuilder::Register(int index) const {
  constexpr std::uint32_t kBytes[5] = {4, 2 * kWarpSize, 4 * kWarpSize, 8 * kWarpSize, 16 * kWarpSize};
  const auto c = state_->allocation.classes[static_cast<std::size_t>(index)];
  return state_->class_base[c] +
         kBytes[c] * static_cast<std::uint32_t>(state_->allocation.slots[static_cast<std::size_t>(index)]);
}

std::uint32_t ProgramBuilder::Scratch(std::uint32_t bytes) {
  const std::uint32_t at = file_bytes_;
  file_bytes_ = static_cast<std::uint32_t>(RoundUp(std::uint64_t{file_bytes_} + bytes, 64));
  return at;
}

const Details* ProgramBuilder::Keep(std::unique_ptr<Details> details) {
  program_->details.push_back(std::move(details));
  return program_->details.back().get();
}

std::uint32_t ProgramBuilder::Constant(ptx::Type type, std::uint64_t bits) {
  const bool predicate = type == ptx::Type::kPred;
  const std::uint32_t bytes = predicate ? 0 : std::max(2u, ptx::SizeOf(type));
  if (predicate) bits = bits != 0 ? kAllLanes : 0;
  if (!predicate && bytes < 8) bits &= (std::uint64_t{1} << (8 * bytes)) - 1;
  const auto [found, is_new] = constants_.try_emplace({bytes, bits}, 0);
  if (is_new) {
    found->second = Scratch(predicate ? 4 : bytes * kWarpSize);
    program_->constants.push_back({found->second, type, bits});
  }
  return found->second;
}

std::uint32_t ProgramBuilder::Special(const std::string& name, std::uint32_t bytes) {
  if (!KnownSpecial(name)) Refuse("the emulator does not know the special register " + name);
  const auto [found, is_new] = specials_.try_emplace({name, bytes}, 0);
  if (is_new) {
    found->second = Scratch(bytes == 0 ? 4 : bytes * kWarpSize);
    if (!ReadAtRunTime(name)) program_->specials.push_back({found->second, bytes, FindSpecial(name)});
  }
  if (ReadAtRunTime(name)) prelude_.push_back(ReadSpecial(name, bytes, found->second));
  return found->second;
}

std::uint32_t ProgramBuilder::Source(const ptx::Operand& operand, ptx::Type type) {
  switch (operand.kind) {
    case Kind::kRegister:
      if (operand.negated) Refuse("a negated operand where the emulator expects none");
      return Register(operand.reg);
    case Kind::kInteger:
      if (type == ptx::Type::kNone) Refuse("a constant where a register belongs");
      if (IsFloat(type)) Refuse("an integer constant for a floating-point operand");
      return Constant(type, operand.bits);
    case Kind::kFloat:
      if (type == ptx::Type::kF32 || type == ptx::Type::kB32 || type == ptx::Type::kTF32) {
        return Constant(type, operand.single ? operand.bits
                                             : BitsAs<std::uint32_t>(static_cast<float>(FloatValue(operand))));
      }
      if (type == ptx::Type::kF64 || type == ptx::Type::kB64) {
        return Constant(type, BitsAs<std::uint64_t>(FloatValue(operand)));
      }
      Refuse("a floating-point constant for an operand of another kind");
    case Kind::kSpecial:
      return Special(operand.name, type == ptx::Type::kPred ? 0 : std::max(2u, ptx::SizeOf(type)));
    case Kind::kSymbol:
      return Symbol(operand, type);
    default:
      Refuse("an operand of a kind that it cannot read");
  }
}

std::uint32_t ProgramBuilder::Destination(const ptx::Operand& operand, ptx::Type type) {
  if (operand.kind == Kind::kRegister && !operand.negated) return Register(operand.reg);
  if (operand.kind != Kind::kSink) Refuse("an operand that it cannot write");
  const std::uint32_t bytes = std::max<std::uint32_t>(2, ptx::SizeOf(type));
  const auto [found, is_new] = sinks_.try_emplace(static_cast<int>(bytes), 0);
  if (is_new) found->second = Scratch(bytes * kWarpSize);
  return found->second;
}

std::uint32_t ProgramBuilder::Predicate(const ptx::Operand& operand, bool* negated) {
  *negated = operand.negated;
  if (operand.kind == Kind::kInteger) return Constant(ptx::Type::kPred, operand.bits);
  if (operand.kind == Kind::kSpecial) return Special(operand.name, 0);
  if (operand.kind != Kind::kRegister || RegisterType(operand) != ptx::Type::kPred)
    Refuse("an operand that is no predicate");
  return Register(operand.reg);
}

ptx::Type ProgramBuilder::RegisterType(const ptx::Operand& operand) const {
  if (operand.kind != Kind::kRegister) return ptx::Type::kNone;
  return function_->registers[static_cast<std::size_t>(operand.reg)].type;
}

const ptx::Variable* ProgramBuilder::KernelParameter(const std::string& name) const {
  if (!function_->entry) return nullptr;
  for (const ptx::Variable& param : function_->params) {
    if (param.name == name) return &param;
  }
  return nullptr;
}

const ProgramBuilder::Local* ProgramBuilder::FindLocal(const std::string& name) const {
  const auto found = state_->locals.find(name);
  return found == state_->locals.end() ? nullptr : &found->second;
}

std::uint32_t ProgramBuilder::LocalAddress(const Local& local, std::uint64_t addend) {
  if (local.at == Op::kNone) return Constant(ptx::Type::kU64, local.offset + addend);
  if (addend != 0) Refuse("an offset from a variable in local memory of a recursive function");
  return local.at;
}

const ptx::Variable* ProgramBuilder::SharedVariable(const std::string& name) const {
  for (const ptx::Variable& variable : function_->variables) {
    if (variable.name == name && variable.space == ptx::Space::kShared) return &variable;
  }
  const ptx::Variable* variable = module_.FindVariable(name);
  return variable != nullptr && variable->space == ptx::Space::kShared ? variable : nullptr;
}

// Variables get their places in the order in which they are first named. All dynamic ones begin at one place.
std::uint32_t ProgramBuilder::SharedSymbol(const ptx::Variable& variable, std::uint64_t addend, bool wide) {
  const bool dynamic = variable.external;
  const auto [place, unplaced] = shared_offsets_.try_emplace(variable.name, 0);
  if (unplaced && dynamic) {
    program_->dynamic_align = std::max(program_->dynamic_align, static_cast<std::uint32_t>(Align(variable)));
  } else if (unplaced) {
    place->second = RoundUp(program_->static_shared, Align(variable));
    if (place->second + variable.size() >= (1u << kRankShift)) Refuse("more shared memory than any GPU has");
    program_->static_shared = static_cast<std::uint32_t>(place->second + variable.size());
  }
  const auto [symbol, is_new] = shared_.try_emplace({variable.name, addend << 1 | wide}, 0);
  if (is_new) {
    symbol->second = Scratch((wide ? 8 : 4) * kWarpSize);
    program_->shared_symbols.push_back({symbol->second, wide, place->second + addend, dynamic});
  }
  return symbol->second;
}

std::uint32_t ProgramBuilder::Symbol(const ptx::Operand& operand, ptx::Type type) {
  const std::uint32_t bytes = ptx::SizeOf(type);
  if (bytes != 4 && bytes != 8) Refuse("the address of " + operand.name + " as a value of another size");
  const ptx::Type integer = bytes == 8 ? ptx::Type::kU64 : ptx::Type::kU32;
  if (const ptx::Variable* param = KernelParameter(operand.name))
    return Constant(integer, param->offset + operand.bits);
  if (const Local* local = FindLocal(operand.name)) {
    if (local->at == Op::kNone) return Constant(integer, local->offset + operand.bits);
    if (bytes != 8) Refuse("a 32-bit address in local memory of a recursive function");
    return LocalAddress(*local, operand.bits);
  }
  if (const ptx::Variable* shared = SharedVariable(operand.name))
    return SharedSymbol(*shared, operand.bits, bytes == 8);
  const auto global = addresses_.find(operand.name);
  if (global != addresses_.end()) return Constant(integer, global->second + operand.bits);
  const int callee = Function(operand);
  if (callee >= 0) return Constant(ptx::Type::kU64, kCodeWindow + 16 * static_cast<std::uint64_t>(callee + 1));
  Refuse("the name " + operand.name + " is not defined in this module");
}

AddressOperand ProgramBuilder::Address(const ptx::Operand& operand) {
  if (operand.kind != Kind::kAddress) Refuse("an operand that is no address");
  AddressOperand address;
  address.offset = static_cast<std::int64_t>(operand.bits);
  if (operand.elements.empty() || operand.elements[0].kind == Kind::kSink) {
    address.base = Constant(ptx::Type::kU64, 0);
    return address;
  }
  const ptx::Operand& base = operand.elements[0];
  if (base.kind == Kind::kRegister) {
    const std::uint32_t bytes = ptx::SizeOf(RegisterType(base));
    if (bytes != 4 && bytes != 8) Refuse("an address in a register of neither 32 nor 64 bits");
    address.base = Source(base, RegisterType(base));
    address.wide = bytes == 8;
    return address;
  }
  if (base.kind == Kind::kInteger) {
    address.base = Constant(ptx::Type::kU64, base.bits);
    return address;
  }
  if (base.kind != Kind::kSymbol) Refuse("an address of a kind that the emulator does not know");
  address.offset += static_cast<std::int64_t>(base.bits);
  ptx::Operand symbol = base;
  symbol.bits = 0;
  if (KernelParameter(base.name) != nullptr) {
    address.space = ptx::Space::kParam;
  } else if (FindLocal(base.name) != nullptr) {
    address.space = ptx::Space::kLocal;
  } else if (SharedVariable(base.name) != nullptr) {
    address.space = ptx::Space::kShared;
    address.wide = false;
  } else {
    const ptx::Variable* variable = module_.FindVariable(base.name);
    address.space = variable != nullptr ? variable->space : ptx::Space::kNone;
  }
  address.base = Symbol(symbol, address.wide ? ptx::Type::kU64 : ptx::Type::kU32);
  return address;
}

Place ProgramBuilder::Argument(const ptx::Operand& operand, const ptx::Variable* formal) {
  Place place;
  if (operand.kind == Kind::kSymbol) {
    const Local* local = FindLocal(operand.name);
    if (local == nullptr) Refuse("an argument that is no variable of the function: " + operand.name);
    for (const auto* list : {&function_->variables, &function_->params, &function_->results}) {
      for (const ptx::Variable& variable : *list) {
        if (variable.name == operand.name) place.bytes = static_cast<std::uint32_t>(variable.size());
      }
    }
    place.local = true;
    place.at = LocalAddress(*local, operand.bits);
    return place;
  }
  if (operand.kind == Kind::kSink) return place;
  ptx::Type type = RegisterType(operand);
  if (type == ptx::Type::kNone) type = formal != nullptr ? formal->type : ptx::Type::kB32;
  if (type == ptx::Type::kPred) Refuse("a predicate as an argument");
  place.at = Source(operand, type);
  place.bytes = std::max(2u, ptx::SizeOf(type));
  return place;
}

}  // namespace emu
