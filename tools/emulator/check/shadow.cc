#include "tools/emulator/check/shadow.h"

#include <algorithm>

namespace emu {

std::uint32_t Shadow::Pool::Take(std::uint32_t fan) {
  if (!free.empty()) {
    const std::uint32_t index = free.back();
    free.pop_back();
    return index;
  }
  if (used == blocks.size() * kBlock) blocks.push_back(std::make_unique<Cell[]>(kBlock));
  const std::uint32_t index = used;
  used += fan;  // divides kBlock
  return index;
}

inline Shadow::Page& Shadow::PageAt(std::uint32_t rank, std::uint32_t offset) {
  auto& pages = pages_[rank];
  const std::uint32_t page = offset / kPageBytes;
  if (page < pages.size() && pages[page]) return *pages[page];
  return NewPage(rank, page);
}

Shadow::Page& Shadow::NewPage(std::uint32_t rank, std::uint32_t page) {
  auto& pages = pages_[rank];
  if (page >= pages.size()) pages.resize(page + 1);
  pages[page] = std::make_unique<Page>();
  return *pages[page];
}

template <class Visit>
void Shadow::Walk(std::uint32_t rank, std::uint32_t offset, std::uint32_t bytes, const Visit& visit) {
  const std::uint32_t end = offset + bytes;
  while (offset < end) {
    Page& page = PageAt(rank, offset);
    const std::uint32_t page_end = std::min(end, offset / kPageBytes * kPageBytes + kPageBytes);
    while (offset < page_end) {
      const std::uint32_t base = offset / kBytes[0] * kBytes[0];
      const std::uint32_t cell_end = std::min(page_end, base + kBytes[0]);
      Cell& cell = page[base % kPageBytes / kBytes[0]];
      if (cell_end - offset == kBytes[0]) {
        visit(cell, 0, base);
      } else {
        WalkInside(cell, 0, base, offset, cell_end - offset, visit);
      }
      offset = cell_end;
    }
  }
}

template <class Visit>
void Shadow::WalkInside(Cell& cell, int level, std::uint32_t base, std::uint32_t offset, std::uint32_t bytes,
                        const Visit& visit) {
  if ((cell.writer & kSplit) == 0) Split(cell, level);
  Cell* child = Children(cell, level);
  const std::uint32_t size = kBytes[level + 1];
  for (std::uint32_t i = 0; i < kFan[level]; ++i, ++child, base += size) {
    const std::uint32_t from = std::max(offset, base), to = std::min(offset + bytes, base + size);
    if (from >= to) continue;
    if (to - from == size) {
      visit(*child, level + 1, base);
    } else {
      WalkInside(*child, level + 1, base, from, to - from, visit);
    }
  }
}

void Shadow::Split(Cell& cell, int level) {
  const std::uint32_t index = pools_[level > 0].Take(kFan[level]);
  Cell* child = pools_[level > 0].At(index);
  for (std::uint32_t i = 0; i < kFan[level]; ++i) {
    child[i] = cell;
    if ((cell.reader & kMany) == 0 || i == 0) continue;
    const std::uint32_t list = TakeList();
    lists_[list] = lists_[cell.reader & ~kMany];
    child[i].reader = kMany | list;
  }
  cell = {};
  cell.writer = kSplit;
  cell.write_time = index;
}

void Shadow::FreeChildren(Cell& cell, int level) {
  Cell* child = Children(cell, level);
  for (std::uint32_t i = 0; i < kFan[level]; ++i) {
    if (child[i].writer & kSplit) FreeChildren(child[i], level + 1);
    FreeList(child[i]);
  }
  pools_[level > 0].free.push_back(cell.write_time);
  cell = {};
}

std::uint32_t Shadow::TakeList() {
  if (free_lists_.empty()) {
    lists_.emplace_back().reserve(kListRoom);
    return static_cast<std::uint32_t>(lists_.size() - 1);
  }
  const std::uint32_t list = free_lists_.back();
  free_lists_.pop_back();
  return list;
}

void Shadow::FreeList(Cell& cell) {
  if (cell.reader & kMany) {
    lists_[cell.reader & ~kMany].clear();
    free_lists_.push_back(cell.reader & ~kMany);
  }
  cell.reader = 0;
}

PastAccess Shadow::WriterOf(const Cell& cell) {
  PastAccess writer;
  writer.first = cell.writer & kSlotBits;
  writer.lanes = 1;
  writer.time = cell.write_time;
  writer.site = cell.write_site;
  writer.kind = AccessKind::kWrite;
  writer.async_proxy = (cell.writer & kAsyncProxy) != 0;
  return writer;
}

PastAccess Shadow::ReaderOf(const Cell& cell) {
  PastAccess reader;
  reader.first = cell.reader;
  reader.lanes = cell.read_lanes;
  reader.time = cell.read_time;
  reader.site = cell.read_site;
  return reader;
}

void Shadow::Report(Conflict::What what, const Access& now, const PastAccess& before, int level,
                    std::uint32_t offset) const {
  Conflict conflict;
  conflict.what = what;
  conflict.now = now;
  conflict.before = before;
  conflict.offset = offset;
  conflict.bytes = kBytes[level];
  handler_->OnConflict(conflict);
  __builtin_unreachable();
}

inline void Shadow::SetWriter(Cell& cell, const Access& access) {
  cell.writer = access.slot() | kWritten | (access.async_proxy ? kAsyncProxy : 0);
  cell.write_time = access.time;
  cell.write_site = access.site;
  cell.reader = 0;
}

// The last ordinary write, for every kind of access.
inline void Shadow::CheckWriter(const Cell& cell, int level, std::uint32_t offset, const Access& access) const {
  const std::uint32_t slot = cell.writer & kSlotBits;
  if (!access.view->Knows(slot, cell.write_time)) {
    Report(Conflict::What::kUnordered, access, WriterOf(cell), level, offset);
  }
  if (access.async_proxy && (cell.writer & kAsyncProxy) == 0 &&
      !access.view->KnowsFenced(slot, cell.write_time)) {
    Report(Conflict::What::kUnfenced, access, WriterOf(cell), level, offset);
  }
}

// The entries since, those that the access conflicts with.
void Shadow::CheckEntries(const Cell& cell, int level, std::uint32_t offset, const Access& access) const {
  const View& view = *access.view;
  if ((cell.reader & kMany) == 0) {
    const bool conflicts = access.kind == AccessKind::kWrite || access.kind == AccessKind::kStrongWrite;
    if (conflicts && cell.reader != 0 && !view.KnowsAll(cell.reader, cell.read_lanes, cell.read_time)) {
      Report(Conflict::What::kUnordered, access, ReaderOf(cell), level, offset);
    }
    return;
  }
  for (const PastAccess& entry : lists_[cell.reader & ~kMany]) {
    const bool strong_write = entry.kind == AccessKind::kStrongWrite;
    const bool conflicts = access.kind == AccessKind::kWrite ||
                           (access.kind == AccessKind::kRead && strong_write) ||
                           (access.kind == AccessKind::kStrongWrite && entry.kind == AccessKind::kRead);
    if (conflicts && !view.KnowsAll(entry.first, entry.lanes, entry.time)) {
      Report(Conflict::What::kUnordered, access, entry, level, offset);
    }
    // Not for strong writes: which strong write such a one follows is not ordered.
    const bool sees =
        strong_write && access.kind != AccessKind::kStrongWrite && access.async_proxy && !entry.async_proxy;
    if (sees && view.KnowsAll(entry.first, entry.lanes, entry.time) &&
        !view.KnowsAllFenced(entry.first, entry.lanes, entry.time)) {
      Report(Conflict::What::kUnfenced, access, entry, level, offset);
    }
  }
}

namespace {

bool Same(const PastAccess& a, const PastAccess& b) {
  return a.first == b.first && a.time == b.time && a.kind == b.kind;
}

// Whether whatever must know of `old` must also know of `entry`.
bool Demands(AccessKind entry, AccessKind old) {
  return entry == old || (old == AccessKind::kStrongRead && entry != AccessKind::kWrite);
}

}  // namespace

void Shadow::AddReader(Cell& cell, const PastAccess& entry, const View& view) {
  if ((cell.reader & kMany) == 0 && entry.kind == AccessKind::kRead) {
    const bool same_warp = cell.reader == entry.first;
    if (same_warp && cell.read_time == entry.time) {
      cell.read_lanes |= entry.lanes;
      return;
    }
    const std::uint32_t rest = same_warp ? cell.read_lanes & ~entry.lanes : cell.read_lanes;
    if (cell.reader == 0 || rest == 0 || view.KnowsAll(cell.reader, rest, cell.read_time)) {
      cell.reader = entry.first;
      cell.read_time = entry.time;
      cell.read_lanes = entry.lanes;
      cell.read_site = entry.site;
      return;
    }
  }
  if ((cell.reader & kMany) == 0) {
    const std::uint32_t list = TakeList();
    if (cell.reader != 0) lists_[list].push_back(ReaderOf(cell));
    cell.reader = kMany | list;
    cell.read_time = 1;
    cell.read_lanes = 0;
  }
  AddToList(cell, entry, view);
}

void Shadow::AddToList(Cell& cell, const PastAccess& entry, const View& view) {
  auto& list = lists_[cell.reader & ~kMany];
  if (entry.kind != AccessKind::kRead) cell.read_time = 0;
  // A strong write hides those before it from the async proxy. Of other entries it is enough to have none too many.
  if (entry.kind == AccessKind::kStrongWrite || list.size() == list.capacity()) Prune(&list, entry, view);
  for (PastAccess& old : list) {
    if (!Same(old, entry)) continue;
    old.lanes |= entry.lanes;
    cell.read_lanes = static_cast<std::uint32_t>(&old - list.data());
    return;
  }
  cell.read_lanes = static_cast<std::uint32_t>(list.size());
  list.push_back(entry);
}

// Drops what need not be kept beside the new entry.
void Shadow::Prune(std::vector<PastAccess>* list, const PastAccess& entry, const View& view) {
  std::erase_if(*list, [&](PastAccess& old) {
    if (Same(old, entry) || !Demands(entry.kind, old.kind)) return false;
    if (old.first == entry.first) old.lanes &= ~entry.lanes;
    return old.lanes == 0 || view.KnowsAll(old.first, old.lanes, old.time);
  });
}

void Shadow::Read(Cell& cell, int level, std::uint32_t offset, const Access& access) {
  const bool written = (cell.writer & kWritten) != 0;
  if (!written && !access.unwritten_too) Report(Conflict::What::kUnwritten, access, {}, level, offset);
  if (written) CheckWriter(cell, level, offset, access);
  if ((cell.reader & kMany) && !OnlyReads(cell)) CheckEntries(cell, level, offset, access);
  AddReader(cell, access, *access.view);
}

void Shadow::Write(Cell& cell, int level, std::uint32_t offset, const Access& access) {
  if (cell.writer & kWritten) CheckWriter(cell, level, offset, access);
  if (cell.reader != 0) {
    CheckEntries(cell, level, offset, access);
    FreeList(cell);
  }
  SetWriter(cell, access);
}

void Shadow::Strong(Cell& cell, int level, std::uint32_t offset, const Access& access) {
  const bool written = (cell.writer & kWritten) != 0;
  if (access.reads && !written) {
    Report(Conflict::What::kUnwritten, access, {}, level, offset);
  }
  if (written) CheckWriter(cell, level, offset, access);
  if (cell.reader != 0) CheckEntries(cell, level, offset, access);
  cell.writer |= kWritten;
  AddReader(cell, access, *access.view);
}

void Shadow::AddTo(Cell& cell, int level, std::uint32_t offset, const Access& access) {
  if (cell.writer & (kSplit | kBarrierBytes)) {
    if (cell.writer & kBarrierBytes) Report(Conflict::What::kBarrier, access, WriterOf(cell), level, offset);
    Cell* child = Children(cell, level);
    const std::uint32_t size = kBytes[level + 1];
    for (std::uint32_t i = 0; i < kFan[level]; ++i) AddToCell(child[i], level + 1, offset + i * size, access);
    if (access.kind == AccessKind::kWrite) {
      const Cell written = child[0];
      FreeChildren(cell, level);
      cell = written;
    }
    return;
  }
  switch (access.kind) {
    case AccessKind::kRead:
      return Read(cell, level, offset, access);
    case AccessKind::kWrite:
      return Write(cell, level, offset, access);
    default:
      return Strong(cell, level, offset, access);
  }
}

// What is true of nearly all accesses, in few instructions: the last write is known, and so are the reads that matter.
// False when the cell needs a closer look; nothing is changed then.
inline bool Shadow::AddPlainly(Cell& cell, const Access& access) {
  const View& view = *access.view;
  if ((cell.writer & (kWritten | kSplit | kBarrierBytes)) != kWritten) return false;
  const std::uint32_t writer = cell.writer & kSlotBits;
  if (!view.Knows(writer, cell.write_time)) return false;
  if (access.async_proxy && (cell.writer & kAsyncProxy) == 0 && !view.KnowsFenced(writer, cell.write_time))
    return false;
  if (cell.reader & kMany) {
    if (access.kind != AccessKind::kRead || !OnlyReads(cell)) return false;
    auto& list = lists_[cell.reader & ~kMany];
    if (cell.read_lanes >= list.size() || !Same(list[cell.read_lanes], access)) return false;
    // As AddToList, which prunes a list that is full before it looks.
    if (list.size() == list.capacity()) return false;
    list[cell.read_lanes].lanes |= access.lanes;
    return true;
  }
  if (access.kind == AccessKind::kRead) {
    if (cell.reader == access.first && cell.read_time == access.time) {
      cell.read_lanes |= access.lanes;
      return true;
    }
    if (cell.reader != 0 && !view.KnowsAll(cell.reader, cell.read_lanes, cell.read_time)) return false;
    cell.reader = access.first;
    cell.read_time = access.time;
    cell.read_lanes = access.lanes;
    cell.read_site = access.site;
    return true;
  }
  if (access.kind != AccessKind::kWrite) return false;
  if (cell.reader != 0 && !view.KnowsAll(cell.reader, cell.read_lanes, cell.read_time)) return false;
  SetWriter(cell, access);
  return true;
}

inline void Shadow::AddToCell(Cell& cell, int level, std::uint32_t offset, const Access& access) {
  if (!AddPlainly(cell, access)) AddTo(cell, level, offset, access);
}

void Shadow::Add(const Access& access) {
  if (access.bytes == 4 && access.offset % 4 == 0) {
    Cell& cell = PageAt(access.rank, access.offset)[access.offset % kPageBytes / kBytes[0]];
    if ((cell.writer & kSplit) == 0) Split(cell, 0);
    Cell& word = Children(cell, 0)[access.offset % kBytes[0] / 4];
    AddToCell(word, 1, access.offset, access);
    return;
  }
  if (access.bytes == kBytes[0] && access.offset % kBytes[0] == 0) {
    Cell& cell = PageAt(access.rank, access.offset)[access.offset % kPageBytes / kBytes[0]];
    AddToCell(cell, 0, access.offset, access);
    return;
  }
  Walk(access.rank, access.offset, access.bytes,
       [&](Cell& cell, int level, std::uint32_t offset) { AddToCell(cell, level, offset, access); });
}

bool Shadow::OrderedIn(const Cell& cell, int level, const Access& access) const {
  if (cell.writer & kSplit) {
    const Cell* child = Children(cell, level);
    for (std::uint32_t i = 0; i < kFan[level]; ++i) {
      if (!OrderedIn(child[i], level + 1, access)) return false;
    }
    return true;
  }
  if (!access.view->Knows(cell.writer & kSlotBits, cell.write_time)) return false;
  if ((cell.reader & kMany) == 0 || OnlyReads(cell)) return true;
  for (const PastAccess& entry : lists_[cell.reader & ~kMany]) {
    if (entry.kind != AccessKind::kStrongWrite) continue;
    if (!access.view->KnowsAll(entry.first, entry.lanes, entry.time)) return false;
  }
  return true;
}

bool Shadow::Ordered(const Access& access) {
  bool ordered = true;
  Walk(access.rank, access.offset, access.bytes,
       [&](Cell& cell, int level, std::uint32_t) { ordered = ordered && OrderedIn(cell, level, access); });
  return ordered;
}

bool Shadow::AddIfOrdered(const Access& access) {
  if (access.bytes == kBytes[0] && access.offset % kBytes[0] == 0) {
    Cell& cell = PageAt(access.rank, access.offset)[access.offset % kPageBytes / kBytes[0]];
    if (!OrderedIn(cell, 0, access)) return false;
    AddToCell(cell, 0, access.offset, access);
    return true;
  }
  if (!Ordered(access)) return false;
  Add(access);
  return true;
}

void Shadow::MarkBarrier(std::uint32_t rank, std::uint32_t offset, std::uint32_t bytes, bool live) {
  Walk(rank, offset, bytes, [&](Cell& cell, int level, std::uint32_t) {
    if (cell.writer & kSplit) {
      const Cell story = Children(cell, level)[0];
      FreeChildren(cell, level);
      cell = story;
    }
    cell.writer = live ? cell.writer | kBarrierBytes : cell.writer & ~kBarrierBytes;
  });
}

std::vector<PastAccess> Shadow::History(std::uint32_t rank, std::uint32_t offset) const {
  const std::uint32_t page = offset / kPageBytes;
  if (page >= pages_[rank].size() || !pages_[rank][page]) return {};
  const Cell* cell = &(*pages_[rank][page])[offset % kPageBytes / kBytes[0]];
  for (int level = 0; cell->writer & kSplit; ++level) {
    cell = Children(*cell, level) + offset % kBytes[level] / kBytes[level + 1];
  }
  std::vector<PastAccess> history;
  if ((cell->writer & kWritten) && (cell->writer & kSlotBits) != 0) history.push_back(WriterOf(*cell));
  if (cell->reader & kMany) {
    const auto& list = lists_[cell->reader & ~kMany];
    history.insert(history.end(), list.begin(), list.end());
  } else if (cell->reader != 0) {
    history.push_back(ReaderOf(*cell));
  }
  return history;
}

}  // namespace emu
