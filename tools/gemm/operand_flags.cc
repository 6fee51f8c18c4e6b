#include "tools/gemm/operand_flags.h"

#include <fmt/core.h>

#include <limits>

namespace gemm::tool {
namespace {

Status Refuse(const std::string& sentence) { return Status(StatusCode::kInvalidArgument, sentence); }

Status Apply(char name, const OperandFlags::Operand& flags, Matrix* matrix) {
  if (flags.ld) matrix->ld = *flags.ld;
  if (!flags.alignment) return Status();
  if (*flags.alignment < 1 || *flags.alignment > std::numeric_limits<std::int32_t>::max()) {
    return Refuse(
        fmt::format("--align-{} is {}; it must be a power of two, at most 2^30", name, *flags.alignment));
  }
  matrix->alignment = static_cast<std::int32_t>(*flags.alignment);
  return Status();
}

Status ApplyToC(const OperandFlags& flags, Matrix* c) {
  const bool described = flags.c.ld || flags.c.alignment || !flags.c_layout.empty();
  if (described && flags.beta == 0) {
    return Refuse("--ldc, --align-c or --c-layout is given but --beta is 0: C would not be read");
  }
  if (flags.c_layout == "mn") {
    c->layout = Layout::kRowMajor;
  } else if (flags.c_layout == "nm") {
    c->layout = Layout::kColumnMajor;
  } else if (!flags.c_layout.empty()) {
    return Refuse(fmt::format("--c-layout is '{}'; mn and nm are allowed", flags.c_layout));
  }
  return Apply('c', flags.c, c);
}

void AddOperand(char name, Subcommand* sub, OperandFlags::Operand* flags) {
  const char upper = static_cast<char>(name - 'a' + 'A');
  sub->Add(fmt::format("--ld{}", name), &flags->ld,
           fmt::format("leading dimension of {} in elements (default 0: packed)", upper))
      .Takes("SIZE")
      .Integer();
  sub->Add(fmt::format("--align-{}", name), &flags->alignment,
           fmt::format("what the address of {} is a multiple of, in bytes (default 256)", upper))
      .Takes("BYTES")
      .Integer();
}

}  // namespace

void AddOperandFlags(Subcommand* sub, OperandFlags* flags) {
  AddOperand('a', sub, &flags->a);
  AddOperand('b', sub, &flags->b);
  AddOperand('c', sub, &flags->c);
  AddOperand('d', sub, &flags->d);
  sub->Add("--c-layout", &flags->c_layout, "order in which C is stored: mn or nm (default: as D)")
      .Takes("LAYOUT");
  sub->Add("--beta", &flags->beta, "factor of C (default 0: C is not read)").Takes("NUMBER");
}

Status ApplyOperandFlags(const OperandFlags& flags, Problem* problem) {
  Status status = Apply('a', flags.a, &problem->a);
  if (status.ok()) status = Apply('b', flags.b, &problem->b);
  if (status.ok()) status = ApplyToC(flags, &problem->c);
  if (status.ok()) status = Apply('d', flags.d, &problem->d);
  return status;
}

}  // namespace gemm::tool
