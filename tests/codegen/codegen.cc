#include "tests/codegen/codegen.h"

#include <elf.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <sstream>

namespace gemm::codegen {
namespace {

const char* InstructionName(unsigned opcode) {
  switch (opcode) {
    case 0x9f0:
      return "HGMMA";
    case 0x23c:
      return "HMMA";
    case 0x223:
    case 0x823:
    case 0xa23:
    case 0xc23:
      return "FFMA";  // register, immediate, constant and uniform register operands
    case 0x981:
      return "LDG";
    case 0x5b4:
      return "UTMALDG";
    default:
      return nullptr;
  }
}

// A copy of the T at `offset`; false when the file ends before.
template <class T>
bool Read(const std::string& file, std::uint64_t offset, T* value) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return false;
  std::memcpy(value, file.data() + offset, sizeof(T));
  return true;
}

MachineCode CountInstructions(const std::string& kernel, const std::string& file, const Elf64_Shdr& section) {
  MachineCode code;
  code.kernel = kernel;
  code.bytes = section.sh_size;
  for (std::uint64_t at = 0; at + 16 <= section.sh_size; at += 16) {
    std::uint64_t low;
    std::uint64_t high;
    if (!Read(file, section.sh_offset + at, &low) || !Read(file, section.sh_offset + at + 8, &high)) break;
    if (const char* name = InstructionName(low & 0xfff)) {
      ++code.instructions[name];
      code.first_at.emplace(name, at);
    }
    if (IsLaneLoop(low, high)) ++code.lane_loops;
    if (IsMinimumWithPredicate(low, high)) ++code.minima_with_predicate;
  }
  return code;
}

}  // namespace

bool IsLaneLoop(std::uint64_t low, std::uint64_t high) {
  constexpr unsigned kBranch = 0x947;
  return (low & 0xfff) == kBranch && (high >> 20 & 1) != 0;
}

bool IsMinimumWithPredicate(std::uint64_t low, std::uint64_t high) {
  constexpr unsigned kForm = 0xe00;  // of the second operand: a register, a number, a uniform register
  constexpr unsigned kMinMax = 0x048;
  constexpr unsigned kTrue = 7;
  return (low & 0xfff & ~kForm) == kMinMax && ((high >> 17 & 7) != kTrue || (high >> 20 & 7) != kTrue);
}

Report ParseReport(const std::string& text) {
  static const std::regex entry("Compiling entry function '([^']+)' for '([^']+)'");
  static const std::regex frame(
      "([0-9]+) bytes stack frame, ([0-9]+) bytes spill stores, ([0-9]+) bytes spill loads");
  static const std::regex registers("Used ([0-9]+) registers");
  static const std::regex complaint("C75(08|09|1[0-7])");
  Report report;
  std::istringstream lines(text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, complaint)) report.complaints.push_back(line);
    if (std::regex_search(line, match, entry)) {
      report.kernels.push_back({match[1], match[2]});
    } else if (!report.kernels.empty() && std::regex_search(line, match, frame)) {
      KernelReport& kernel = report.kernels.back();
      kernel.stack_bytes = std::atoi(match[1].str().c_str());
      kernel.spill_store_bytes = std::atoi(match[2].str().c_str());
      kernel.spill_load_bytes = std::atoi(match[3].str().c_str());
    } else if (!report.kernels.empty() && std::regex_search(line, match, registers)) {
      report.kernels.back().registers = std::atoi(match[1].str().c_str());
    }
  }
  return report;
}

std::vector<MachineCode> ParseCubin(const std::string& cubin) {
  std::vector<MachineCode> kernels;
  Elf64_Ehdr header;
  Elf64_Shdr names;
  if (!Read(cubin, 0, &header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      !Read(cubin, header.e_shoff + std::uint64_t{header.e_shstrndx} * sizeof(Elf64_Shdr), &names)) {
    return kernels;
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!Read(cubin, header.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr), &section)) break;
    const std::uint64_t name_at = names.sh_offset + section.sh_name;
    if (name_at >= cubin.size()) continue;
    const std::string name = cubin.c_str() + name_at;
    if (name.rfind(".text.", 0) == 0) kernels.push_back(CountInstructions(name.substr(6), cubin, section));
  }
  return kernels;
}

}  // namespace gemm::codegen
