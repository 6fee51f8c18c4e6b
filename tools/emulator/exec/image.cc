#include <algorithm>
#include <cstring>
#include <utility>

#include "tools/emulator/exec/program.h"
#include "tools/emulator/exec/program_builder.h"

namespace emu {
namespace {

bool Placed(const ptx::Variable& variable) {
  return (variable.space == ptx::Space::kGlobal || variable.space == ptx::Space::kConst) && !variable.external;
}

// Of the element that an address is written to.
std::uint64_t AddressBytes(const ptx::Variable& variable) {
  const std::uint32_t bytes = ptx::SizeOf(variable.type);
  return bytes == 4 ? 4 : 8;
}

}  // namespace

Image::Image(const std::string& text, DeviceMemory* memory, std::span<const Family> families)
    : Image(ptx::Parse(text), memory, families) {}

Image::Image(std::shared_ptr<const ptx::Module> module, DeviceMemory* memory, std::span<const Family> families)
    : module_(std::move(module)), memory_(memory), families_(families) {
  for (const ptx::Variable& variable : module_->variables) {
    if (!Placed(variable)) continue;
    const std::uint64_t address = memory_->Allocate(std::max<std::uint64_t>(variable.size(), 1));
    if (address == 0)
      throw Stop({FindingKind::kUnsupported, "", 0, "no memory for the variable " + variable.name});
    addresses_[variable.name] = address;
    auto* bytes = reinterpret_cast<std::byte*>(address);
    std::memset(bytes, 0, variable.size());
    std::copy_n(variable.bytes.begin(), std::min<std::uint64_t>(variable.bytes.size(), variable.size()),
                reinterpret_cast<std::uint8_t*>(bytes));
  }
  for (const ptx::Variable& variable : module_->variables) {
    if (Placed(variable)) Patch(variable);
  }
}

// Writes the addresses in a variable's initialiser.
void Image::Patch(const ptx::Variable& variable) {
  for (const ptx::Variable::Patch& patch : variable.patches) {
    std::uint64_t value = static_cast<std::uint64_t>(patch.addend);
    const auto address = addresses_.find(patch.symbol);
    const ptx::Function* function = module_->Find(patch.symbol);
    if (address != addresses_.end()) {
      value += address->second;
    } else if (function != nullptr) {
      value += kCodeWindow + 16 * static_cast<std::uint64_t>(function - module_->functions.data() + 1);
    } else {
      throw Stop({FindingKind::kUnsupported, "", 0,
                  "the initial value of " + variable.name + " has the address of " + patch.symbol +
                      ", which is neither a global variable nor a function"});
    }
    const std::uint64_t bytes = AddressBytes(variable);
    if (patch.at > variable.size() || bytes > variable.size() - patch.at) continue;
    std::memcpy(reinterpret_cast<std::byte*>(addresses_.at(variable.name)) + patch.at, &value, bytes);
  }
}

Image::~Image() {
  for (const auto& [name, address] : addresses_) memory_->Free(address);
}

std::shared_ptr<const Program> Image::Kernel(const std::string& name) {
  const auto known = programs_.find(name);
  if (known != programs_.end()) return known->second;
  const ptx::Function* function = module_->Find(name);
  if (function == nullptr || !function->entry || function->declared_only) return nullptr;
  module_->Complete(*function);
  ProgramBuilder builder(*module_, addresses_, families_);
  return programs_[name] = builder.Build(*function);
}

bool Image::GlobalVariable(const std::string& name, std::uint64_t* address, std::uint64_t* bytes) const {
  const auto found = addresses_.find(name);
  const ptx::Variable* variable = module_->FindVariable(name);
  if (found == addresses_.end() || variable == nullptr) return false;
  *address = found->second;
  *bytes = variable->size();
  return true;
}

}  // namespace emu
