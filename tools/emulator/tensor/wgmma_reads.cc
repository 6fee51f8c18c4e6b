// What wgmma reads in shared memory, for the checker.

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "tools/emulator/exec/program.h"
#include "tools/emulator/tensor/descriptor.h"
#include "tools/emulator/tensor/wgmma_call.h"

namespace emu {

namespace {

constexpr std::uint32_t kAlong =
    2;  // granules along k of a K-major matrix: every instruction has 32 bytes of k

// Granules of a matrix of `mn` rows (A) or columns (B). K-major: [mn][2]. MN-major: [k][mn / 8], elements have 16 bits.
void Granules(std::uint64_t descriptor, bool transposed, std::uint32_t mn, std::uint32_t k,
              std::vector<std::uint32_t>* out) {
  const MatrixDescriptor matrix = DecodeDescriptor(descriptor);
  out->clear();
  if (!transposed) {
    for (std::uint32_t i = 0; i < mn; ++i) {
      for (std::uint32_t along = 0; along < kAlong; ++along) out->push_back(KMajorGranule(matrix, i, along));
    }
    return;
  }
  for (std::uint32_t i = 0; i < k; ++i) {
    for (std::uint32_t along = 0; along < mn / 8; ++along) out->push_back(MnMajorGranule(matrix, along, i));
  }
}

void RequireInside(const Warp& warp, const WgmmaCall& call, const std::vector<std::uint32_t>& granules,
                   const char* what, std::uint64_t descriptor) {
  if (granules.empty()) return;
  const std::size_t size = warp.cta().shared.size();
  const std::uint32_t last = *std::max_element(granules.begin(), granules.end());
  if (last + std::size_t{kGranule} <= size) return;
  const MatrixDescriptor matrix = DecodeDescriptor(descriptor);
  warp.Fail(
      FindingKind::kOutOfBounds, *call.op, 0,
      fmt::format(
          "{} reaches up to offset {} of the CTA's shared memory of {} bytes (descriptor {:#018x}: start {}, "
          "leading {}, stride {}, base offset {}, swizzle of {} bytes)",
          what, last + kGranule, size, descriptor, matrix.start, matrix.leading, matrix.stride,
          matrix.base_offset, matrix.swizzle));
}

// The warp whose part of A or of B a granule is.
std::uint32_t PlaceOf(std::size_t granule, bool transposed, std::uint32_t mn) {
  const auto index = static_cast<std::uint32_t>(granule);
  if (!transposed) return index / kAlong * 4 / mn;
  return index % (mn / 8) * 8 * 4 / mn;
}

// Whether nothing that orders threads or memory is between two wgmmas: arithmetic only, without branches, so that who ran
// `before` last came here on the straight way.
bool FollowsDirectly(const Program& program, const Op& op, const Op& before) {
  constexpr const char* kPlain[] = {"mov", "add", "sub",  "mul", "mad",  "and",  "or",  "xor", "shl",
                                    "shr", "shf", "lop3", "cvt", "setp", "selp", "bfe", "bfi", "prmt"};
  const auto is_plain = [&](const char* name) {
    const std::size_t length = std::strcspn(name, ".");
    return std::any_of(std::begin(kPlain), std::end(kPlain), [&](const char* plain) {
      return std::strlen(plain) == length && std::strncmp(plain, name, length) == 0;
    });
  };
  for (const Op* at = &op; at != program.ops.data();) {
    --at;
    if (at == &before) return true;
    if (at->target >= 0 || !is_plain(at->name)) return false;
  }
  return false;
}

void TellRanges(Warp& warp, AsyncId id, const std::bitset<WgmmaReads::kGranules>& granules) {
  const std::uint32_t base = warp.cta().rank << kRankShift;
  std::size_t at = granules._Find_first();
  while (at < granules.size()) {
    std::size_t end = at + 1;
    while (end < granules.size() && granules[end]) ++end;
    warp.checker().AsyncRead(id, base + static_cast<std::uint32_t>(at * kGranule),
                             static_cast<std::uint32_t>((end - at) * kGranule), true);
    at = end < granules.size() ? granules._Find_next(end) : end;
  }
}

}  // namespace

void FindGranules(const Warp& warp, WgmmaCall* call) {
  const WgmmaDetails& details = DetailsOf(*call->op);
  const auto m = static_cast<std::uint32_t>(details.shape.m), n = static_cast<std::uint32_t>(details.shape.n);
  const auto k = static_cast<std::uint32_t>(details.shape.k);
  if (details.a_registers.empty()) Granules(call->a, details.a_transposed, m, k, &call->a_granules);
  Granules(call->b, details.b_transposed, n, k, &call->b_granules);
  RequireInside(warp, *call, call->a_granules, "A", call->a);
  RequireInside(warp, *call, call->b_granules, "B", call->b);
}

void BeginReads(Warp& warp, Warpgroup& group, WgmmaCall* call) {
  const std::uint32_t place = warp.wgmma->place;
  if (call->reads == nullptr && call->number > group.first) {
    const WgmmaCall& before = group.Call(call->number - 1);
    const bool open = before.reads != nullptr && !before.reads->told && !before.reads->ended;
    if (open && FollowsDirectly(*warp.grid().program, *call->op, *before.op)) call->reads = before.reads;
  }
  if (call->reads == nullptr) call->reads = std::make_shared<WgmmaReads>();
  AsyncId& id = call->reads->ids[place];
  if (id == 0) id = warp.checker().Begin(warp, *call->op, kAllLanes);
}

void AddReads(Warp& warp, WgmmaCall* call) {
  const WgmmaDetails& details = DetailsOf(*call->op);
  const auto add = [&](const std::vector<std::uint32_t>& granules, bool transposed, int mn) {
    for (std::size_t i = 0; i < granules.size(); ++i) {
      const std::uint32_t place = PlaceOf(i, transposed, static_cast<std::uint32_t>(mn));
      call->reads->granules[place].set(granules[i] / kGranule);
    }
  };
  add(call->a_granules, details.a_transposed, details.shape.m);
  add(call->b_granules, details.b_transposed, details.shape.n);
  // The reads before these cannot grow any more.
  const Warpgroup& group = *warp.wgmma->group;
  if (call->number == group.first) return;
  WgmmaReads* before = group.Call(call->number - 1).reads.get();
  if (before != nullptr && before != call->reads.get()) TellReads(warp, before);
}

void TellReads(Warp& warp, WgmmaReads* reads) {
  if (reads->told) return;
  reads->told = true;
  for (std::uint32_t place = 0; place < 4; ++place) TellRanges(warp, reads->ids[place], reads->granules[place]);
}

void EndReads(Warp& warp, WgmmaReads* reads) {
  TellReads(warp, reads);
  if (!reads->ended) {
    reads->ended = true;
    for (const AsyncId id : reads->ids) {
      SyncPoint over;
      warp.checker().End(id, &over);
      warp.checker().Join(&reads->over, over);
    }
  }
  warp.checker().Acquire(warp, kAllLanes, reads->over);
}

}  // namespace emu
