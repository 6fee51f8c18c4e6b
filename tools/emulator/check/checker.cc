#include "tools/emulator/check/checker.h"

namespace emu {

struct Checker::State {};

Checker::Checker(Cluster*) {}
Checker::~Checker() = default;
void Checker::Read(const Warp&, const Op&, LaneMask, const std::uint32_t*, std::uint32_t) {}
void Checker::Write(const Warp&, const Op&, LaneMask, const std::uint32_t*, std::uint32_t) {}
void Checker::Strong(const Warp&, const Op&, LaneMask, const std::uint32_t*, std::uint32_t, bool) {}
void Checker::SyncLanes(const Warp&, LaneMask) {}
void Checker::Release(const Warp&, LaneMask, SyncPoint*, bool) {}
void Checker::Fence(const Warp&, LaneMask) {}
void Checker::Acquire(const Warp&, LaneMask, const SyncPoint&, bool) {}
void Checker::Join(SyncPoint*, const SyncPoint&) {}
void Checker::FenceProxyAsync(const Warp&, LaneMask) {}
AsyncId Checker::Begin(const Warp&, const Op&, LaneMask) { return 1; }
void Checker::AsyncRead(AsyncId, std::uint32_t, std::uint32_t) {}
void Checker::AsyncWrite(AsyncId, std::uint32_t, std::uint32_t, bool) {}
void Checker::AsyncStrong(AsyncId, std::uint32_t, std::uint32_t, bool) {}
void Checker::End(AsyncId, SyncPoint*) {}
AsyncId Checker::Copy(const Warp&, const Op&, LaneMask, const std::uint32_t*, std::uint32_t) { return 1; }
void Checker::AcquireCopies(const Warp&, LaneMask, AsyncId) {}
void Checker::ReleaseCopies(const Warp&, LaneMask, SyncPoint*) {}
void Checker::InitBarrier(const Warp&, const Op&, std::uint32_t, std::uint32_t) {}
void Checker::InvalidateBarrier(const Warp&, const Op&, std::uint32_t, std::uint32_t) {}
void Checker::FenceMbarrierInit(const Warp&, LaneMask) {}
void Checker::UseBarrier(const Warp&, const Op&, std::uint32_t, std::uint32_t) {}
void Checker::UseBarrier(AsyncId, std::uint32_t) {}
void Checker::Remote(const Warp&, const Op&, std::uint32_t, std::uint32_t) {}
void Checker::Remote(AsyncId, std::uint32_t) {}
void Checker::Exit(const Warp&, LaneMask) {}
void Checker::Finish() {}

}  // namespace emu
