// Lowers a kernel and the functions that it can reach.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/emulator/exec/lowering.h"
#include "tools/emulator/exec/program.h"

namespace emu {

// What CallFamilies ask of the builder beyond Lowering.
class CallLowering {
 public:
  virtual ~CallLowering() = default;
  // Index in the module of the function that an operand names; -1 when it names none. It will be lowered.
  virtual int Function(const ptx::Operand& operand) = 0;
  virtual Place Argument(const ptx::Operand& operand, const ptx::Variable* formal) = 0;
  // Every function that an indirect call could reach will be lowered.
  virtual void IndirectCall() = 0;
  virtual const Program* program() const = 0;
  // `*op` becomes the index of the op that the operand's label stands for, when all are lowered.
  virtual void Label(int instruction, std::int32_t* op) = 0;
};

class ProgramBuilder final : public Lowering, public CallLowering {
 public:
  ProgramBuilder(const ptx::Module& module, const std::map<std::string, std::uint64_t>& addresses,
                 std::span<const Family> families);

  std::shared_ptr<const Program> Build(const ptx::Function& kernel);

  std::uint32_t Source(const ptx::Operand& operand, ptx::Type type) override;
  std::uint32_t Destination(const ptx::Operand& operand, ptx::Type type) override;
  std::uint32_t Predicate(const ptx::Operand& operand, bool* negated) override;
  AddressOperand Address(const ptx::Operand& operand) override;
  ptx::Type RegisterType(const ptx::Operand& operand) const override;
  std::uint32_t Scratch(std::uint32_t bytes) override;
  const Details* Keep(std::unique_ptr<Details> details) override;
  [[noreturn]] void Refuse(const std::string& why) const override;
  const ptx::Module& module() const override { return module_; }
  const ptx::Function& function() const override { return *function_; }

  int Function(const ptx::Operand& operand) override;
  Place Argument(const ptx::Operand& operand, const ptx::Variable* formal) override;
  void IndirectCall() override;
  const Program* program() const override { return program_.get(); }
  void Label(int instruction, std::int32_t* op) override;

 private:
  // A variable in local memory: a fixed place, or (in recursive functions) one that the file tells.
  struct Local {
    std::uint64_t offset = 0;
    std::uint32_t at = Op::kNone;
  };
  struct FunctionState {
    const ptx::Function* function = nullptr;
    ptx::Allocation allocation;
    std::array<std::uint32_t, 5> class_base{};
    std::map<std::string, Local> locals;
    bool recursive = false;
  };

  FunctionState& State(int index);
  void LowerFunction(int index);
  Op LowerInstruction(const ptx::Instruction& instruction);
  void FillIn(const ptx::Instruction& instruction, Op* op);
  void FindRecursion();
  void AddLocal(FunctionState* state, Callee* callee, const ptx::Variable& variable);
  void AddCallee(int index);
  void Finish();

  std::uint32_t Register(int index) const;
  std::uint32_t Constant(ptx::Type type, std::uint64_t bits);
  std::uint32_t Special(const std::string& name, std::uint32_t bytes);
  std::uint32_t Symbol(const ptx::Operand& operand, ptx::Type type);
  std::uint32_t SharedSymbol(const ptx::Variable& variable, std::uint64_t addend, bool wide);
  const ptx::Variable* SharedVariable(const std::string& name) const;
  const ptx::Variable* KernelParameter(const std::string& name) const;
  const Local* FindLocal(const std::string& name) const;
  std::uint32_t LocalAddress(const Local& local, std::uint64_t addend);

  const ptx::Module& module_;
  const std::map<std::string, std::uint64_t>& addresses_;
  std::unordered_map<std::string, const Family*> families_;
  std::shared_ptr<Program> program_;
  std::string kernel_;
  const ptx::Function* function_ = nullptr;
  FunctionState* state_ = nullptr;
  const ptx::Instruction* instruction_ = nullptr;

  std::map<int, std::unique_ptr<FunctionState>> states_;
  std::vector<int> to_lower_;
  std::set<int> recursive_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> constants_;  // (bytes, bits) -> offset
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> specials_;
  std::map<std::pair<std::string, std::uint64_t>, std::uint32_t> shared_;  // (name, addend << 1 | wide)
  std::map<std::string, std::uint64_t> shared_offsets_;
  std::map<std::string, const char*> names_;
  std::map<int, std::uint32_t> sinks_;
  std::vector<Op> prelude_;                            // ops to run before the present one
  std::vector<std::pair<int, std::int32_t*>> labels_;  // of the present function
  std::uint32_t file_bytes_ = 0;
  std::uint32_t local_bytes_ = 0;
};

}  // namespace emu
