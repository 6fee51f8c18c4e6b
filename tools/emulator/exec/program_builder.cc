#include "tools/emulator/exec/program_builder.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "tools/emulator/exec/calls.h"

namespace emu {
namespace {

constexpr std::uint32_t kLineBytes = 64;
// Of each lane's local memory, in programs with recursive functions.
constexpr std::uint32_t kStackBytes = 32768;

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Functions that `function` names in its instructions.
std::set<int> Mentioned(const ptx::Module& module, const ptx::Function& function) {
  std::set<int> found;
  const std::function<void(const ptx::Operand&)> look = [&](const ptx::Operand& operand) {
    if (operand.kind == ptx::Operand::Kind::kSymbol) {
      const ptx::Function* named = module.Find(operand.name);
      if (named != nullptr) found.insert(static_cast<int>(named - module.functions.data()));
    }
    for (const ptx::Operand& element : operand.elements) look(element);
  };
  for (const ptx::Instruction& instruction : function.code) {
    for (const ptx::Operand& operand : instruction.operands) look(operand);
  }
  for (const ptx::Table& table : function.tables) {
    for (const ptx::Operand& target : table.targets) look(target);
  }
  return found;
}

Callee::Builtin BuiltinOf(const std::string& name) {
  if (name == "vprintf") return Callee::Builtin::kPrintf;
  if (name == "__assertfail") return Callee::Builtin::kAssert;
  if (name == "malloc") return Callee::Builtin::kMalloc;
  if (name == "free") return Callee::Builtin::kFree;
  return Callee::Builtin::kNone;
}

}  // namespace

ProgramBuilder::ProgramBuilder(const ptx::Module& module, const std::map<std::string, std::uint64_t>& addresses,
                               std::span<const Family> families)
    : module_(module), addresses_(addresses), program_(std::make_shared<Program>()) {
  for (const Family& family : families) families_.emplace(family.opcode, &family);
}

std::shared_ptr<const Program> ProgramBuilder::Build(const ptx::Function& kernel) {
  kernel_ = kernel.name;
  function_ = &kernel;
  program_->name = kernel.name;
  program_->max_registers = kernel.max_registers;
  program_->min_ctas = kernel.min_ctas;
  program_->max_cluster = kernel.max_cluster;
  program_->explicit_cluster = kernel.explicit_cluster;
  const auto dim = [](const std::array<std::uint32_t, 3>& from) { return Dim3{from[0], from[1], from[2]}; };
  program_->required_threads = dim(kernel.required_threads);
  program_->max_threads = dim(kernel.max_threads);
  program_->required_cluster = dim(kernel.required_cluster);
  program_->param_bytes = kernel.param_bytes;
  for (const ptx::Variable& param : kernel.params) {
    program_->params.emplace_back(param.offset, static_cast<std::uint32_t>(param.size()));
  }
  program_->callees.resize(module_.functions.size());
  const int index = static_cast<int>(&kernel - module_.functions.data());
  FindRecursion();
  program_->entry = 0;
  to_lower_.push_back(index);
  AddCallee(index);
  while (!to_lower_.empty()) {
    const int next = to_lower_.back();
    to_lower_.pop_back();
    LowerFunction(next);
  }
  Finish();
  return program_;
}

// Functions that can come to call themselves, whoever calls through an address counting as a caller of every function whose
// address is taken somewhere. Nobody calls a kernel: kernels are not looked through, of which a module may have a hundred.
void ProgramBuilder::FindRecursion() {
  const int count = static_cast<int>(module_.functions.size());
  std::vector<std::set<int>> calls(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    if (!module_.functions[i].entry) calls[i] = Mentioned(module_, module_.functions[i]);
  }
  for (int i = 0; i < count; ++i) {
    if (module_.functions[i].entry) continue;
    std::set<int> seen;
    std::vector<int> todo(calls[i].begin(), calls[i].end());
    while (!todo.empty()) {
      const int next = todo.back();
      todo.pop_back();
      if (seen.insert(next).second) todo.insert(todo.end(), calls[next].begin(), calls[next].end());
    }
    if (seen.count(i) != 0) recursive_.insert(i);
  }
}

ProgramBuilder::FunctionState& ProgramBuilder::State(int index) {
  std::unique_ptr<FunctionState>& state = states_[index];
  if (state) return *state;
  state = std::make_unique<FunctionState>();
  state->function = &module_.functions[index];
  state->recursive = recursive_.count(index) != 0;
  state->allocation = ptx::AllocateRegisters(*state->function);
  constexpr std::uint32_t kBytes[5] = {4, 2 * kWarpSize, 4 * kWarpSize, 8 * kWarpSize, 16 * kWarpSize};
  for (int c = 0; c < 5; ++c) {
    state->class_base[c] = Scratch(kBytes[c] * static_cast<std::uint32_t>(state->allocation.slot_counts[c]));
  }
  return *state;
}

void ProgramBuilder::AddLocal(FunctionState* state, Callee* callee, const ptx::Variable& variable) {
  const std::uint64_t align = std::max<std::uint64_t>({variable.align, ptx::SizeOf(variable.type), 1});
  Local local;
  if (state->recursive) {
    local.offset = RoundUp(callee->frame_bytes, align);
    callee->frame_bytes = static_cast<std::uint32_t>(local.offset + variable.size());
    local.at = Scratch(8 * kWarpSize);
    callee->frame.push_back({local.at, static_cast<std::uint32_t>(local.offset)});
    callee->registers.push_back({local.at, 1, 8});
  } else {
    local.offset = RoundUp(local_bytes_, align);
    if (local.offset + variable.size() > (1u << 24)) Refuse("more than 16 MiB of local memory per thread");
    local_bytes_ = static_cast<std::uint32_t>(local.offset + variable.size());
  }
  state->locals.emplace(variable.name, local);
}

// Lays out what a function has and, unless it is a kernel, where its callers find its parameters.
void ProgramBuilder::AddCallee(int index) {
  auto callee = std::make_unique<Callee>();
  const ptx::Function& function = module_.functions[index];
  callee->name = function.name;
  FunctionState& state = State(index);
  FunctionState* const outer = state_;
  callee->recursive = state.recursive;
  for (const ptx::Variable& variable : function.variables) {
    if (variable.space == ptx::Space::kLocal || variable.space == ptx::Space::kParam)
      AddLocal(&state, callee.get(), variable);
  }
  const auto place = [&](const ptx::Variable& formal) {
    Place result;
    result.bytes = static_cast<std::uint32_t>(formal.size());
    if (formal.space == ptx::Space::kReg) {
      state_ = &state;
      for (std::size_t r = 0; r < function.registers.size(); ++r) {
        if (function.registers[r].name == formal.name) result.at = Register(static_cast<int>(r));
      }
      result.bytes = std::max<std::uint32_t>(result.bytes, 2);
      state_ = outer;
      return result;
    }
    AddLocal(&state, callee.get(), formal);
    result.local = true;
    result.at = LocalAddress(state.locals.at(formal.name), 0);
    return result;
  };
  if (!function.entry) {
    for (const ptx::Variable& formal : function.params) callee->params.push_back(place(formal));
    for (const ptx::Variable& formal : function.results) callee->results.push_back(place(formal));
  }
  if (state.recursive) {
    constexpr std::uint32_t kBytes[5] = {0, 2, 4, 8, 16};
    for (int c = 0; c < 5; ++c) {
      callee->registers.push_back(
          {state.class_base[c], static_cast<std::uint32_t>(state.allocation.slot_counts[c]), kBytes[c]});
    }
    callee->frame_bytes = static_cast<std::uint32_t>(RoundUp(callee->frame_bytes, 16));
  }
  program_->callees[index] = std::move(callee);
}

void ProgramBuilder::LowerFunction(int index) {
  const ptx::Function& function = module_.functions[index];
  function_ = &function;
  state_ = &State(index);
  program_->callees[index]->entry = static_cast<int>(program_->ops.size());
  const std::vector<int> meet = ptx::Reconvergence(function);
  const int count = static_cast<int>(function.code.size());
  std::vector<int> first(static_cast<std::size_t>(count) + 1);  // op of each instruction
  std::vector<std::pair<int, int>> branches;                    // (op, instruction)
  for (int i = 0; i < count; ++i) {
    first[i] = static_cast<int>(program_->ops.size());
    Op op = LowerInstruction(function.code[i]);
    for (const Op& before : prelude_) program_->ops.push_back(before);
    prelude_.clear();
    if (op.target >= 0 || meet[i] >= 0) branches.emplace_back(static_cast<int>(program_->ops.size()), i);
    program_->ops.push_back(op);
  }
  first[count] = static_cast<int>(program_->ops.size());
  program_->ops.push_back(FallOffTheEnd(function.entry));
  for (const auto& [op, instruction] : branches) {
    Op& branch = program_->ops[op];
    if (branch.target >= 0) branch.target = first[branch.target];
    const int at = meet[instruction];
    // At the end of the function nobody need meet: a call's lanes meet at its return.
    branch.reconvergence = at >= 0 && at < count ? first[at] : -1;
  }
  for (const auto& [instruction, op] : labels_) *op = first[instruction];
  labels_.clear();
  instruction_ = nullptr;
}

Op ProgramBuilder::LowerInstruction(const ptx::Instruction& instruction) {
  instruction_ = &instruction;
  const auto family = families_.find(instruction.opcode);
  if (family == families_.end()) Refuse("the emulator does not know this instruction");
  Op op = family->second->lower(instruction, *this);
  if (op.run == nullptr) Refuse("the emulator does not know this form of the instruction");
  FillIn(instruction, &op);
  return op;
}

void ProgramBuilder::FillIn(const ptx::Instruction& instruction, Op* op) {
  op->line = instruction.line;
  const char*& name = names_[instruction.Name()];
  if (name == nullptr) {
    program_->names.push_back(std::make_unique<std::string>(instruction.Name()));
    name = program_->names.back()->c_str();
  }
  op->name = name;
  if (instruction.guard >= 0) {
    op->guard = Register(instruction.guard);
    op->guard_negated = instruction.guard_negated;
  }
  for (Op& before : prelude_) before.line = op->line, before.name = name;
  std::vector<std::uint32_t> registers;
  const std::function<void(const ptx::Operand&)> look = [&](const ptx::Operand& operand) {
    if (operand.kind == ptx::Operand::Kind::kRegister &&
        function_->registers[static_cast<std::size_t>(operand.reg)].type != ptx::Type::kPred) {
      registers.push_back(Register(operand.reg));
    }
    for (const ptx::Operand& element : operand.elements) look(element);
  };
  for (const ptx::Operand& operand : instruction.operands) look(operand);
  if (registers.empty()) return;
  auto list = std::make_unique<std::uint32_t[]>(registers.size());
  std::copy(registers.begin(), registers.end(), list.get());
  op->registers = {list.get(), registers.size()};
  program_->register_lists.push_back(std::move(list));
}

void ProgramBuilder::Finish() {
  if (!recursive_.empty()) {
    program_->stack_begin = static_cast<std::uint32_t>(RoundUp(local_bytes_, 16));
    local_bytes_ = program_->stack_begin + kStackBytes;
  }
  program_->local_bytes = static_cast<std::uint32_t>(RoundUp(local_bytes_, 16));
  program_->file_bytes = file_bytes_;
  program_->first_file.assign(file_bytes_, std::byte{0});
  for (const Program::Constant& constant : program_->constants) {
    std::byte* to = program_->first_file.data() + constant.at;
    const std::uint32_t bytes =
        constant.type == ptx::Type::kPred ? 4 : std::max(2u, ptx::SizeOf(constant.type));
    const int copies = constant.type == ptx::Type::kPred ? 1 : kWarpSize;
    for (int lane = 0; lane < copies; ++lane)
      std::memcpy(to + lane * bytes, &constant.bits, std::min(bytes, 8u));
  }
}

int ProgramBuilder::Function(const ptx::Operand& operand) {
  if (operand.kind != ptx::Operand::Kind::kSymbol) return -1;
  const ptx::Function* named = module_.Find(operand.name);
  if (named == nullptr) return -1;
  const int index = static_cast<int>(named - module_.functions.data());
  if (program_->callees[index]) return index;
  if (named->entry) Refuse("calls the kernel " + operand.name);
  const Callee::Builtin builtin = BuiltinOf(operand.name);
  if (named->declared_only && builtin == Callee::Builtin::kNone) {
    Refuse("calls " + operand.name + ", which has no body in this module");
  }
  AddCallee(index);
  if (named->declared_only) {
    program_->callees[index]->builtin = builtin;
  } else {
    to_lower_.push_back(index);
  }
  return index;
}

// Whatever the module says the name of outside of a call could be the target.
void ProgramBuilder::IndirectCall() {
  for (const ptx::Function& function : module_.functions) {
    if (function.entry || (function.declared_only && BuiltinOf(function.name) == Callee::Builtin::kNone))
      continue;
    ptx::Operand operand;
    operand.kind = ptx::Operand::Kind::kSymbol;
    operand.name = function.name;
    Function(operand);
  }
}

void ProgramBuilder::Label(int instruction, std::int32_t* op) { labels_.emplace_back(instruction, op); }

void ProgramBuilder::Refuse(const std::string& why) const {
  std::string message = why;
  if (instruction_ != nullptr) message = instruction_->Name() + ": " + why;
  throw Stop({FindingKind::kUnsupported, kernel_, instruction_ != nullptr ? instruction_->line : 0, message});
}

}  // namespace emu
