// Constant expressions (PTX ISA, "Constants": integers of 64 bits, signed or unsigned, with C's operators).
#pragma once

#include <cstdint>

#include "tools/emulator/ptx/tokens.h"

namespace emu::ptx {

struct Constant {
  enum class Kind : std::uint8_t {
    kInteger,
    kFloat,
    kSingle
  };  // kFloat: bits of a double; kSingle: of a float
  Kind kind = Kind::kInteger;
  bool is_unsigned = false;
  std::uint64_t bits = 0;
};

// Whether an expression can begin with the next token.
bool BeginsConstant(const Tokens& tokens);
// Throws SyntaxError.
Constant ParseConstant(Tokens& tokens);
// An integer of at least 0 that fits; `what` for the message: "the size of an array".
std::uint64_t ParseSize(Tokens& tokens, const char* what, std::uint64_t limit);

}  // namespace emu::ptx
