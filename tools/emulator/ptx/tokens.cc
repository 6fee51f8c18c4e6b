#include "tools/emulator/ptx/tokens.h"

#include "tools/emulator/ptx/module.h"

namespace emu::ptx {

void Tokens::Unexpected(const std::string& wanted) const {
  Fail(wanted + " is expected, not " + Describe(Peek()));
}

void Tokens::Fail(const std::string& message) const { throw SyntaxError(line(), message); }

}  // namespace emu::ptx
