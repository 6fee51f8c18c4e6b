#include "tools/emulator/memory/lanes.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace emu {
namespace {

template <class Memory, class Register>
Register Extend(Memory value) {
  if constexpr (std::is_same_v<Memory, Register>) {
    return value;
  } else if constexpr (std::is_same_v<Register, Bits128>) {
    const auto low = static_cast<std::uint64_t>(value);
    return {low, std::is_signed_v<Memory> && value < 0 ? ~std::uint64_t{0} : 0};
  } else {
    return static_cast<Register>(value);
  }
}

template <class Memory, class Register>
Memory Truncate(Register value) {
  if constexpr (std::is_same_v<Register, Bits128> && !std::is_same_v<Memory, Bits128>) {
    return static_cast<Memory>(value.low);
  } else {
    return static_cast<Memory>(value);
  }
}

template <class Memory, class Register>
void Load(const std::uint64_t* host, std::uint32_t offset, void* lanes, LaneMask mask) {
  auto* out = static_cast<Register*>(lanes);
  const auto one = [&](std::uint32_t lane) {
    Memory value;
    std::memcpy(&value, reinterpret_cast<const std::byte*>(host[lane]) + offset, sizeof value);
    out[lane] = Extend<Memory, Register>(value);
  };
  if (mask == kAllLanes) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) one(lane);
  } else {
    for (std::uint32_t lane : Each(mask)) one(lane);
  }
}

template <class Memory, class Register>
void Store(const std::uint64_t* host, std::uint32_t offset, void* lanes, LaneMask mask) {
  const auto* in = static_cast<const Register*>(lanes);
  const auto one = [&](std::uint32_t lane) {
    const Memory value = Truncate<Memory, Register>(in[lane]);
    std::memcpy(reinterpret_cast<std::byte*>(host[lane]) + offset, &value, sizeof value);
  };
  if (mask == kAllLanes) {
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) one(lane);
  } else {
    for (std::uint32_t lane : Each(mask)) one(lane);
  }
}

template <class Memory>
MoveLanes LoadOf(std::uint32_t register_bytes) {
  if (register_bytes < sizeof(Memory)) return nullptr;
  if constexpr (sizeof(Memory) <= 2) {
    if (register_bytes == 2) return Load<Memory, std::uint16_t>;
  }
  if constexpr (sizeof(Memory) <= 4) {
    if (register_bytes == 4) return Load<Memory, std::uint32_t>;
  }
  if constexpr (sizeof(Memory) <= 8) {
    if (register_bytes == 8) return Load<Memory, std::uint64_t>;
  }
  return register_bytes == 16 ? Load<Memory, Bits128> : nullptr;
}

template <class Memory>
MoveLanes StoreOf(std::uint32_t register_bytes) {
  if (register_bytes < sizeof(Memory)) return nullptr;
  if constexpr (sizeof(Memory) <= 2) {
    if (register_bytes == 2) return Store<Memory, std::uint16_t>;
  }
  if constexpr (sizeof(Memory) <= 4) {
    if (register_bytes == 4) return Store<Memory, std::uint32_t>;
  }
  if constexpr (sizeof(Memory) <= 8) {
    if (register_bytes == 8) return Store<Memory, std::uint64_t>;
  }
  return register_bytes == 16 ? Store<Memory, Bits128> : nullptr;
}

}  // namespace

MoveLanes LoadMove(ptx::Type type, std::uint32_t register_bytes) {
  switch (type) {
    case ptx::Type::kS8:
      return LoadOf<std::int8_t>(register_bytes);
    case ptx::Type::kS16:
      return LoadOf<std::int16_t>(register_bytes);
    case ptx::Type::kS32:
      return LoadOf<std::int32_t>(register_bytes);
    case ptx::Type::kS64:
      return LoadOf<std::int64_t>(register_bytes);
    default:
      break;
  }
  switch (ptx::SizeOf(type)) {
    case 1:
      return LoadOf<std::uint8_t>(register_bytes);
    case 2:
      return LoadOf<std::uint16_t>(register_bytes);
    case 4:
      return LoadOf<std::uint32_t>(register_bytes);
    case 8:
      return LoadOf<std::uint64_t>(register_bytes);
    case 16:
      return LoadOf<Bits128>(register_bytes);
    default:
      return nullptr;
  }
}

MoveLanes StoreMove(ptx::Type type, std::uint32_t register_bytes) {
  switch (ptx::SizeOf(type)) {
    case 1:
      return StoreOf<std::uint8_t>(register_bytes);
    case 2:
      return StoreOf<std::uint16_t>(register_bytes);
    case 4:
      return StoreOf<std::uint32_t>(register_bytes);
    case 8:
      return StoreOf<std::uint64_t>(register_bytes);
    case 16:
      return StoreOf<Bits128>(register_bytes);
    default:
      return nullptr;
  }
}

std::uint32_t RegisterBytes(const ptx::Operand& operand, ptx::Type type, const Lowering& lowering) {
  if (operand.kind == ptx::Operand::Kind::kRegister) {
    const ptx::Type own = lowering.RegisterType(operand);
    if (own == ptx::Type::kPred) lowering.Refuse("a predicate where a value is wanted");
    type = own;
  }
  return std::max(ptx::SizeOf(type), 2u);
}

}  // namespace emu
