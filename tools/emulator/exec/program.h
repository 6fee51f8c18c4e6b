// A loaded module and its kernels, lowered.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/emulator/exec/lowering.h"
#include "tools/emulator/exec/special.h"
#include "tools/emulator/memory/device_memory.h"

namespace emu {

// Generic addresses of functions: + 16 * (index in the module + 1).
constexpr std::uint64_t kCodeWindow = 0x00f4'0000'0000'0000;

// Where an argument or a result of a call is: in the register file, or in the thread's local memory.
struct Place {
  bool local = false;
  std::uint32_t at = 0;     // offset in the register file, or of the storage that holds the address in local memory
  std::uint32_t bytes = 0;  // per lane
};

// A function that the kernel can call.
struct Callee {
  enum class Builtin : std::uint8_t { kNone, kPrintf, kAssert, kMalloc, kFree };
  std::string name;
  Builtin builtin = Builtin::kNone;
  int entry = -1;
  std::vector<Place> params, results;
  // Of a function that can come to call itself: its registers in the file, which a call saves, and what it has in local
  // memory, which is at the top of the lane's stack while it runs.
  bool recursive = false;
  struct Columns {
    std::uint32_t begin = 0, count = 0;
    std::uint32_t bytes = 0;  // per lane; 0: predicates
  };
  std::vector<Columns> registers;
  std::uint32_t frame_bytes = 0;
  struct Local {
    std::uint32_t at;      // in the file: std::uint64_t[32], the address
    std::uint32_t offset;  // in the frame
  };
  std::vector<Local> frame;
};

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
  std::uint32_t max_cluster = 0;      // .maxclusterrank, 0 when absent
  bool explicit_cluster = false;      // .explicitcluster: a launch must say the dimensions of its clusters
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
    std::uint32_t bytes;  // per lane: 2, 4, 8; 0: a predicate
    SpecialValue value;
  };
  struct SharedSymbol {
    std::uint32_t at;
    bool wide;             // 8 bytes per lane, else 4
    std::uint64_t offset;  // in the CTA's shared memory
    bool dynamic;          // behind the static variables
  };
  std::vector<Constant> constants;
  std::vector<Special> specials;
  std::vector<SharedSymbol> shared_symbols;
  std::vector<std::byte> first_file;  // the file with the constants in it
  std::vector<std::unique_ptr<Callee>> callees;  // by the function's index in the module; null when unused
  std::uint32_t stack_begin = 0;                 // offset in local memory of the stack of recursive functions
  std::vector<std::unique_ptr<Details>> details;
  std::vector<std::unique_ptr<std::string>> names;
  std::vector<std::unique_ptr<std::uint32_t[]>> register_lists;  // Op::registers
};

class Image {
 public:
  // Places the module's global variables in `memory`, which must outlive the image. Throws Stop when the memory is full.
  // `families`: every instruction that may occur; must outlive the image.
  Image(std::shared_ptr<const ptx::Module> module, DeviceMemory* memory, std::span<const Family> families);
  // Parses the text first. Throws ptx::SyntaxError.
  Image(const std::string& text, DeviceMemory* memory, std::span<const Family> families);
  ~Image();

  const ptx::Module& module() const { return *module_; }
  // Lowers on first use. Throws Stop (kUnsupported) when an instruction is unknown; returns null for an unknown name.
  std::shared_ptr<const Program> Kernel(const std::string& name);
  // Address and size of a .global or .const variable; false when there is none.
  bool GlobalVariable(const std::string& name, std::uint64_t* address, std::uint64_t* bytes) const;

 private:
  void Patch(const ptx::Variable& variable);

  std::shared_ptr<const ptx::Module> module_;
  DeviceMemory* memory_;
  std::span<const Family> families_;
  std::map<std::string, std::uint64_t> addresses_;
  std::map<std::string, std::shared_ptr<const Program>> programs_;
};

// Every family that the emulator knows (isa.cc).
std::span<const Family> AllFamilies();

}  // namespace emu
