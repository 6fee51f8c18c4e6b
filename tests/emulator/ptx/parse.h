// Short texts as modules.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tools/emulator/ptx/module.h"

namespace emu::ptx {

inline const std::string kPrologue = ".version 9.0\n.target sm_90a\n.address_size 64\n";

// `text` begins in line 4.
inline std::unique_ptr<Module> ParseModule(const std::string& text) { return Parse(kPrologue + text); }

// The statements begin in line 7 of a kernel that has registers %r0 to %r9 (.b32), %rd0 to %rd9 (.b64), %f0 to %f9 (.f32), %p0
// to %p9, in this order.
inline std::unique_ptr<Module> ParseStatements(const std::string& statements) {
  return ParseModule(
      ".visible .entry k(.param .u64 p)\n{\n"
      ".reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<10>; .reg .pred %p<10>;\n" +
      statements + "\n}\n");
}
constexpr int kFirstStatementLine = 7;

inline Function Statements(const std::string& statements) {
  return ParseStatements(statements)->functions.at(0);
}

// The one instruction of the text.
inline Instruction One(const std::string& statement) { return Statements(statement).code.at(0); }

// The error of a text, "" when there is none.
inline std::string ErrorOf(const std::string& text) {
  try {
    Parse(text);
  } catch (const SyntaxError& error) {
    return error.what();
  }
  return "";
}

}  // namespace emu::ptx
