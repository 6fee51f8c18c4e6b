#include "tools/emulator/ptx/effects.h"

#include <algorithm>
#include <string_view>

namespace emu::ptx {
namespace {

// Instructions whose first operand is their result, if it is no address; sorted.
constexpr std::string_view kFirstWritten[] = {
    "abs",
    "activemask",
    "add",
    "addc",
    "alloca",
    "and",
    "atom",
    "bfe",
    "bfi",
    "bfind",
    "bmsk",
    "brev",
    "clusterlaunchcontrol",
    "clz",
    "cnot",
    "copysign",
    "cos",
    "createpolicy",
    "cvt",
    "cvta",
    "div",
    "dp2a",
    "dp4a",
    "elect",
    "ex2",
    "fma",
    "fns",
    "getctarank",
    "isspacep",
    "istypep",
    "ld",
    "ldmatrix",
    "ldu",
    "lg2",
    "lop3",
    "mad",
    "mad24",
    "madc",
    "mapa",
    "match",
    "max",
    "mbarrier",
    "min",
    "mma",
    "mov",
    "movmatrix",
    "mul",
    "mul24",
    "neg",
    "not",
    "or",
    "popc",
    "prmt",
    "rcp",
    "redux",
    "rem",
    "rsqrt",
    "sad",
    "selp",
    "set",
    "setp",
    "shf",
    "shfl",
    "shl",
    "shr",
    "sin",
    "slct",
    "sqrt",
    "stacksave",
    "sub",
    "subc",
    "suld",
    "suq",
    "szext",
    "tanh",
    "testp",
    "tex",
    "tld4",
    "txq",
    "vote",
    "wmma",
    "xor",
};

// Instructions without a result in a register; sorted.
constexpr std::string_view kAllRead[] = {
    "applypriority",  "bra",    "brkpt",        "brx",      "cp",       "discard",   "exit",      "fence",
    "griddepcontrol", "membar", "nanosleep",    "pmevent",  "prefetch", "prefetchu", "red",       "ret",
    "setmaxnreg",     "st",     "stackrestore", "stmatrix", "sured",    "sust",      "tensormap", "trap",
};

template <std::size_t n>
bool Has(const std::string_view (&sorted)[n], std::string_view opcode) {
  return std::binary_search(std::begin(sorted), std::end(sorted), opcode);
}

// How the first operand is accessed, if the others are read; kTouched: nothing is known of any.
Access FirstAccess(const Instruction& instruction) {
  static_assert(std::is_sorted(std::begin(kFirstWritten), std::end(kFirstWritten)));
  static_assert(std::is_sorted(std::begin(kAllRead), std::end(kAllRead)));
  const std::string& opcode = instruction.opcode;
  if (Has(kFirstWritten, opcode)) return Access::kWritten;
  if (Has(kAllRead, opcode)) return Access::kRead;
  if (opcode == "bar" || opcode == "barrier") return instruction.Has("red") ? Access::kWritten : Access::kRead;
  if (opcode == "multimem") return instruction.Has("ld_reduce") ? Access::kWritten : Access::kRead;
  return Access::kTouched;
}

void Collect(const Operand& operand, Access access, std::vector<Effect>& out) {
  if (operand.kind == Operand::Kind::kRegister) {
    const bool part = access == Access::kWritten && !operand.name.empty();
    if (operand.reg >= 0) out.push_back({operand.reg, part ? Access::kTouched : access});
    return;
  }
  const bool address = operand.kind == Operand::Kind::kAddress && access == Access::kWritten;
  for (const Operand& element : operand.elements) Collect(element, address ? Access::kRead : access, out);
}

}  // namespace

void Effects(const Instruction& instruction, std::vector<Effect>& out) {
  out.clear();
  if (instruction.guard >= 0) out.push_back({instruction.guard, Access::kRead});
  const Access first = FirstAccess(instruction);
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    const Access access = i == 0 || first == Access::kTouched ? first : Access::kRead;
    Collect(instruction.operands[i], access, out);
  }
}

bool IsAsynchronous(const Instruction& instruction) {
  return instruction.opcode == "wgmma" || instruction.opcode == "tcgen05";
}

}  // namespace emu::ptx
