// fence, membar (PTX ISA, "Parallel Synchronization and Communication Instructions: membar / fence").
#include "tools/emulator/memory/fence.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tools/emulator/check/checker.h"
#include "tools/emulator/exec/machine.h"
#include "tools/emulator/memory/addresses.h"
#include "tools/emulator/memory/qualifiers.h"

namespace emu {
namespace {

// What a fence means to the checker. Proxies that shared memory is never reached through (alias, tensormap, async.global)
// mean nothing to it.
enum class Meaning { kNothing, kOrder, kProxyAsync, kProxyAsyncAndOrder, kMbarrierInit };

Flow RunNothing(Warp&, const Op&) { return Flow::kNext; }

Flow RunOrder(Warp& warp, const Op&) {
  if (warp.active() != 0) warp.checker().Fence(warp, warp.active());
  return Flow::kNext;
}

Flow RunProxyAsync(Warp& warp, const Op&) {
  if (warp.active() != 0) warp.checker().FenceProxyAsync(warp, warp.active());
  return Flow::kNext;
}

Flow RunProxyAsyncAndOrder(Warp& warp, const Op& op) {
  RunProxyAsync(warp, op);
  return RunOrder(warp, op);
}

Flow RunMbarrierInit(Warp& warp, const Op&) {
  if (warp.active() != 0) warp.checker().FenceMbarrierInit(warp, warp.active());
  return Flow::kNext;
}

Handler HandlerOf(Meaning meaning) {
  switch (meaning) {
    case Meaning::kNothing:
      return RunNothing;
    case Meaning::kOrder:
      return RunOrder;
    case Meaning::kProxyAsync:
      return RunProxyAsync;
    case Meaning::kProxyAsyncAndOrder:
      return RunProxyAsyncAndOrder;
    case Meaning::kMbarrierInit:
      return RunMbarrierInit;
  }
  return nullptr;
}

// The words of an instruction without its first one, joined; scopes that change nothing here are left out.
struct Form {
  std::string_view words;
  Meaning meaning;
  bool scope;  // and a scope behind
};

constexpr Form kFences[] = {
    {"", Meaning::kOrder, true},
    {"sc", Meaning::kOrder, true},
    {"acq_rel", Meaning::kOrder, true},
    {"acquire", Meaning::kOrder, true},
    {"release", Meaning::kOrder, true},
    {"acquire.sync_restrict::shared::cluster.cluster", Meaning::kOrder, false},
    {"release.sync_restrict::shared::cta.cluster", Meaning::kOrder, false},
    {"mbarrier_init.release.cluster", Meaning::kMbarrierInit, false},
    {"proxy.alias", Meaning::kNothing, false},
    {"proxy.async", Meaning::kProxyAsync, false},
    {"proxy.async.global", Meaning::kNothing, false},
    {"proxy.async.shared::cta", Meaning::kProxyAsync, false},
    {"proxy.async.shared::cluster", Meaning::kProxyAsync, false},
    {"proxy.tensormap::generic.release", Meaning::kOrder, true},
    {"proxy.tensormap::generic.acquire", Meaning::kOrder, true},
    {"proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", Meaning::kProxyAsyncAndOrder,
     false},
    {"proxy.async::generic.release.sync_restrict::shared::cta.cluster", Meaning::kProxyAsyncAndOrder, false},
};

constexpr Form kMembars[] = {
    {"cta", Meaning::kOrder, false},
    {"gl", Meaning::kOrder, false},
    {"sys", Meaning::kOrder, false},
    {"proxy.alias", Meaning::kNothing, false},
    {"proxy.async", Meaning::kProxyAsync, false},
    {"proxy.async.global", Meaning::kNothing, false},
    {"proxy.async.shared::cta", Meaning::kProxyAsync, false},
    {"proxy.async.shared::cluster", Meaning::kProxyAsync, false},
};

std::string Join(const std::vector<std::string>& words, std::size_t count) {
  std::string joined;
  for (std::size_t i = 0; i < count; ++i) joined += (i == 0 ? "" : ".") + words[i];
  return joined;
}

template <std::size_t kCount>
const Form* Find(const Form (&forms)[kCount], const std::vector<std::string>& words) {
  const std::string all = Join(words, words.size());
  const bool scope = !words.empty() && IsScope(words.back());
  const std::string front = scope ? Join(words, words.size() - 1) : all;
  for (const Form& form : forms) {
    if (form.scope ? scope && front == form.words : all == form.words) return &form;
  }
  return nullptr;
}

struct TensormapDetails : Details {
  MemoryOperand memory;
};

// fence.proxy.tensormap::generic.acquire: the address must be one of 128 bytes.
Flow RunTensormapAcquire(Warp& warp, const Op& op) {
  Places places;
  Resolve(warp, op, static_cast<const TensormapDetails&>(*op.details).memory, warp.active(), &places);
  return RunOrder(warp, op);
}

Op LowerTensormapAcquire(const ptx::Instruction& instruction, Lowering& lowering) {
  CheckOperands(instruction, 2, false, lowering);
  const ptx::Operand& size = instruction.operands[1];
  if (size.kind != ptx::Operand::Kind::kInteger || size.bits != 128) lowering.Refuse("the size is not 128");
  TensormapDetails details;
  details.memory.address = lowering.Address(instruction.operands[0]);
  details.memory.window = WindowOf(nullptr, details.memory.address, lowering);
  details.memory.bytes = 128;
  details.memory.alignment = 64;
  details.memory.verb = "fences";
  Op op;
  op.run = RunTensormapAcquire;
  op.details = lowering.Make(std::move(details));
  return op;
}

}  // namespace

Op LowerFence(const ptx::Instruction& instruction, Lowering& lowering) {
  const Form* form = Find(kFences, instruction.modifiers);
  if (form == nullptr) lowering.Refuse("no such fence is known");
  if (form->words == "proxy.tensormap::generic.acquire") return LowerTensormapAcquire(instruction, lowering);
  CheckOperands(instruction, 0, false, lowering);
  Op op;
  op.run = HandlerOf(form->meaning);
  return op;
}

Op LowerMembar(const ptx::Instruction& instruction, Lowering& lowering) {
  const Form* form = Find(kMembars, instruction.modifiers);
  if (form == nullptr) lowering.Refuse("no such fence is known");
  CheckOperands(instruction, 0, false, lowering);
  Op op;
  op.run = HandlerOf(form->meaning);
  return op;
}

}  // namespace emu
