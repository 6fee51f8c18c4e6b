#include "tools/emulator/exec/builtins.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tools/emulator/exec/machine.h"
#include "tools/emulator/memory/device_memory.h"

namespace emu {
namespace {

// Reads what generic addresses of one lane name: its local memory, its CTA's shared memory, global memory.
class Reader {
 public:
  Reader(Warp& warp, const Op& op, std::uint32_t lane) : warp_(warp), op_(op), lane_(lane) {}

  template <class T>
  T Load(std::uint64_t address) {
    T value;
    std::memcpy(&value, Bytes(address, sizeof(T)), sizeof(T));
    return value;
  }
  std::string Text(std::uint64_t address) {
    std::string text;
    for (char c; (c = Load<char>(address)) != 0; ++address) text += c;
    return text;
  }

 private:
  const std::byte* Bytes(std::uint64_t address, std::uint32_t bytes) {
    if (InWindow(address, kLocalWindow)) {
      const std::uint64_t offset = address - kLocalWindow;
      if (offset <= warp_.local_bytes && bytes <= warp_.local_bytes - offset) {
        return warp_.local.data() + std::size_t{lane_} * warp_.local_bytes + offset;
      }
    } else if (InWindow(address, kSharedWindow)) {
      return warp_.cluster().Shared(warp_, op_, lane_, static_cast<std::uint32_t>(address - kSharedWindow),
                                    bytes);
    } else if (warp_.machine().memory().Contains(address, bytes)) {
      return reinterpret_cast<const std::byte*>(address);
    }
    warp_.Fail(
        FindingKind::kOutOfBounds, op_, lane_,
        fmt::format("reads {} bytes at {:#x}: {}", bytes, address, warp_.machine().memory().Describe(address)));
  }

  Warp& warp_;
  const Op& op_;
  std::uint32_t lane_;
};

// The arguments of a printf, one behind the other, each aligned to its size.
class Variadic {
 public:
  Variadic(Reader* reader, std::uint64_t address) : reader_(reader), address_(address) {}
  template <class T>
  T Next() {
    address_ = (address_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    const T value = reader_->Load<T>(address_);
    address_ += sizeof(T);
    return value;
  }

 private:
  Reader* reader_;
  std::uint64_t address_;
};

template <class T>
std::string Formatted(const std::string& format, T value) {
  std::string text(static_cast<std::size_t>(std::max(0, std::snprintf(nullptr, 0, format.c_str(), value))) + 1,
                   '\0');
  std::snprintf(text.data(), text.size(), format.c_str(), value);
  text.pop_back();
  return text;
}

// One conversion, text[*at] being the character behind '%'.
std::string Conversion(const std::string& text, std::size_t* at, Reader* reader, Variadic* arguments) {
  std::string flags = "%";
  bool is_long = false;
  for (; *at < text.size() && std::strchr("-+ #0123456789.*hljzt", text[*at]) != nullptr; ++*at) {
    const char c = text[*at];
    if (c == '*') {
      flags += std::to_string(arguments->Next<std::int32_t>());
    } else if (std::strchr("ljzt", c) != nullptr) {
      is_long = true;
    } else {
      flags += c;
    }
  }
  if (*at >= text.size()) return flags;
  const char kind = text[(*at)++];
  switch (kind) {
    case '%':
      return "%";
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      if (is_long) return Formatted(flags + "ll" + kind, arguments->Next<long long>());
      return Formatted(flags + kind, arguments->Next<int>());
    case 'c':
      return Formatted(flags + kind, arguments->Next<int>());
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return Formatted(flags + kind, arguments->Next<double>());
    case 'p':
      return Formatted(flags + kind, reinterpret_cast<void*>(arguments->Next<std::uint64_t>()));
    case 's': {
      const auto address = arguments->Next<std::uint64_t>();
      return Formatted(flags + kind, address == 0 ? "(null)" : reader->Text(address).c_str());
    }
    default:
      return flags + kind;
  }
}

std::int32_t Print(Warp& warp, const Op& op, std::uint32_t lane, std::uint64_t format,
                   std::uint64_t arguments) {
  Reader reader(warp, op, lane);
  Variadic variadic(&reader, arguments);
  const std::string text = reader.Text(format);
  std::string out;
  std::int32_t converted = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '%') {
      out += text[i++];
      continue;
    }
    out += Conversion(text, &++i, &reader, &variadic);
    ++converted;
  }
  std::fwrite(out.data(), 1, out.size(), stdout);
  std::fflush(stdout);
  return converted;
}

std::uint64_t Argument(const std::vector<std::byte>& values, const std::vector<Place>& places,
                       std::size_t index, std::uint32_t lane) {
  std::size_t at = 0;
  if (index >= places.size()) return 0;
  for (std::size_t i = 0; i < index; ++i) at += std::size_t{places[i].bytes} * kWarpSize;
  std::uint64_t value = 0;
  std::memcpy(&value, values.data() + at + std::size_t{lane} * places[index].bytes,
              std::min(8u, places[index].bytes));
  return value;
}

template <class T>
void SetResult(std::vector<std::byte>* results, std::uint32_t lane, T value) {
  results->resize(sizeof(T) * kWarpSize);
  std::memcpy(results->data() + lane * sizeof(T), &value, sizeof(T));
}

}  // namespace

void CallBuiltin(Warp& warp, const Op& op, const Callee& callee, const std::vector<std::byte>& arguments,
                 const std::vector<Place>& places, LaneMask lanes, std::vector<std::byte>* results) {
  DeviceMemory& memory = warp.machine().memory();
  for (std::uint32_t lane : Each(lanes)) {
    const auto argument = [&](std::size_t i) { return Argument(arguments, places, i, lane); };
    switch (callee.builtin) {
      case Callee::Builtin::kPrintf:
        SetResult(results, lane, Print(warp, op, lane, argument(0), argument(1)));
        break;
      case Callee::Builtin::kAssert: {
        // (message, file, line, function, size of a character)
        Reader reader(warp, op, lane);
        warp.Fail(FindingKind::kTrap, op, lane,
                  fmt::format("{}:{}: {}: assertion `{}` failed", reader.Text(argument(1)),
                              static_cast<std::uint32_t>(argument(2)), reader.Text(argument(3)),
                              reader.Text(argument(0))));
      }
      case Callee::Builtin::kMalloc:
        SetResult(results, lane, argument(0) == 0 ? std::uint64_t{0} : memory.Allocate(argument(0)));
        break;
      case Callee::Builtin::kFree:
        if (argument(0) != 0 && !memory.Free(argument(0))) {
          warp.Fail(FindingKind::kOutOfBounds, op, lane,
                    fmt::format("free of {:#x}: {}", argument(0), memory.Describe(argument(0))));
        }
        break;
      case Callee::Builtin::kNone:
        break;
    }
  }
}

}  // namespace emu
