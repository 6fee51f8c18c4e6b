// Readers of what ptxas leaves behind: its report (ptxas -v) and the machine code in a cubin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gemm::codegen {

struct KernelReport {
  std::string kernel;
  std::string architecture;  // "sm_90a"
  int registers = -1;        // -1: the report does not say
  int stack_bytes = -1;
  int spill_store_bytes = -1;
  int spill_load_bytes = -1;
};

struct Report {
  std::vector<KernelReport> kernels;
  // Lines that mean slow code: ptxas' warnings C7508 to C7517 (setmaxnreg ignored, wgmma serialised), whether
  // it calls them warning or info.
  std::vector<std::string> complaints;
};

Report ParseReport(const std::string& text);

struct MachineCode {
  std::string kernel;
  std::size_t bytes = 0;
  // Count of each instruction that is known here by name: HGMMA, HMMA, FFMA, LDG, UTMALDG.
  std::map<std::string, int> instructions;
  std::map<std::string, std::size_t> first_at;  // byte of the first of each
  int lane_loops = 0;                           // as IsLaneLoop
  int minima_with_predicate = 0;                // as IsMinimumWithPredicate
};

// Whether an instruction, given as its two words, closes a loop over the lanes of a warp (BRA.U.ANY, read off nvdisasm -hex,
// CUDA 13.0). ptxas makes one around each bulk copy where it does not know that one lane is left.
bool IsLaneLoop(std::uint64_t low, std::uint64_t high);

// Whether an instruction of sm_90 is a minimum or maximum that also answers with a predicate (VIMNMX with one where others have PT; read off
// nvdisasm -hex, CUDA 13.0).
bool IsMinimumWithPredicate(std::uint64_t low, std::uint64_t high);

// The kernels of a cubin: an ELF file for 64 bits whose sections ".text.<kernel>" hold instructions of 16
// bytes, the opcode in the low 12 bits (sm_70 and later; read off nvdisasm -hex, CUDA 13.0). Empty when `cubin`
// is no such file.
std::vector<MachineCode> ParseCubin(const std::string& cubin);

}  // namespace gemm::codegen
