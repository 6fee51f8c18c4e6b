// A loaded module and its kernels, lowered.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/emulator/exec/lowering.h"
#include "tools/emulator/memory/device_memory.h"

namespace emu {

// One kernel with every function that it can reach. Immutable once made; shared by launches.
class Program {
 public:
  std::string name;
  std::vector<Op> ops;
  int entry = 0;                      // index of the kernel's first op
  std::uint32_t file_bytes = 0;       // of a warp's register file
  std::uint32_t local_bytes = 0;      // of a thread's local memory
  std::uint32_t static_shared = 0;    // bytes of shared variables; dynamic shared memory follows, at dynamic_align
  std::uint32_t dynamic_align = 16;
  std::uint64_t param_bytes = 0;
  std::uint32_t max_registers = 0;    // .maxnreg, 0 when absent
  std::uint32_t min_ctas = 0;
  Dim3 required_threads{0, 0, 0}, max_threads{0, 0, 0}, required_cluster{0, 0, 0};
  std::vector<std::pair<std::uint64_t, std::uint32_t>> params;  // offset and size of each

  // What a new warp's file holds: constants, and where the special registers and the addresses of shared variables go.
  struct Constant {
    std::uint32_t at;
    ptx::Type type;
    std::uint64_t bits;
  };
  struct Special {
    std::uint32_t at;
    std::string name;
  };
  struct SharedSymbol {
    std::uint32_t at;
    std::uint64_t offset;  // in the CTA's shared memory
    bool dynamic;          // behind the static variables
  };
  std::vector<Constant> constants;
  std::vector<Special> specials;
  std::vector<SharedSymbol> shared_symbols;
  std::vector<std::unique_ptr<Details>> details;
  std::vector<std::unique_ptr<std::string>> names;
};

class Image {
 public:
  // Parses the text and places its global variables in `memory`, which must outlive the image. Throws ptx::SyntaxError, or
  // Stop when the memory is full. `families`: every instruction that may occur; must outlive the image.
  Image(const std::string& text, DeviceMemory* memory, std::span<const Family> families);
  ~Image();

  const ptx::Module& module() const { return *module_; }
  // Lowers on first use. Throws Stop (kUnsupported) when an instruction is unknown; returns null for an unknown name.
  std::shared_ptr<const Program> Kernel(const std::string& name);
  // Address and size of a .global or .const variable; false when there is none.
  bool GlobalVariable(const std::string& name, std::uint64_t* address, std::uint64_t* bytes) const;

 private:
  std::unique_ptr<ptx::Module> module_;
  DeviceMemory* memory_;
  std::span<const Family> families_;
  std::map<std::string, std::uint64_t> addresses_;
  std::map<std::string, std::shared_ptr<const Program>> programs_;
};

// Every family that the emulator knows (isa.cc).
std::span<const Family> AllFamilies();

}  // namespace emu
