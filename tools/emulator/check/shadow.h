// Who touched the bytes of shared memory last.
//
// A cell stands for bytes with one story: 16 bytes, or 4, 2, 1 where accesses were smaller. It holds the last ordinary
// write and everything since that a later access must know of: reads, and strong accesses. What is known to a newer entry
// that demands at least the same of later accesses may be dropped, because who knows the newer one knows it too; nothing
// else is, so that what is found does not depend on the order in which unordered things ran. At worst a cell has an entry
// per thread; in a kernel with barriers it has one per warp that read since the last, or few more.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/emulator/check/view.h"

namespace emu {

enum class AccessKind : std::uint8_t { kRead, kWrite, kStrongRead, kStrongWrite };

// An access that is over: of the lanes (bits) of the warp whose slots begin at `first`, or of an operation (one bit).
struct PastAccess {
  std::uint32_t first = 0, lanes = 0, time = 0;
  std::uint16_t site = 0;  // of the instruction (check/sites.h)
  AccessKind kind = AccessKind::kRead;
  bool async_proxy = false;

  std::uint32_t slot() const { return first + static_cast<std::uint32_t>(__builtin_ctz(lanes)); }
};

// An access under way. `lanes` has one bit, except for reads of the same bytes by several lanes.
struct Access : PastAccess {
  const View* view = nullptr;
  bool reads =
      false;  // what it reads must have been written; meant for strong accesses, false for ordinary writes
  bool unwritten_too = false;  // an ordinary read: what nothing has written is poison to it
  std::uint32_t rank = 0, offset = 0,
                bytes = 0;  // of all that it touches, in the shared memory of the CTA with that rank
};

struct Conflict {
  enum class What {
    kUnwritten,  // nothing has written what is read
    kUnordered,  // `now` does not know of `before`
    kUnfenced,   // it does, but no proxy fence was between them
    kBarrier,    // the bytes are a live mbarrier
  };
  What what = What::kUnordered;
  Access now;
  PastAccess before;
  std::uint32_t offset = 0, bytes = 0;  // of the cell
};

class ConflictHandler {
 public:
  virtual ~ConflictHandler() = default;
  [[noreturn]] virtual void OnConflict(const Conflict& conflict) = 0;
};

// The shared memory of the CTAs of a cluster.
class Shadow {
 public:
  Shadow(std::uint32_t ctas, ConflictHandler* handler) : pages_(ctas), handler_(handler) {}

  // Checks the access and remembers it. Its bytes are inside the CTA's shared memory. A read by several lanes must know
  // what any of them must know: AddIfOrdered().
  void Add(const Access& access);
  // The same for a read, unless the last writes there are not known: then false, and nothing is changed.
  bool AddIfOrdered(const Access& access);
  // Marks the bytes as those of a live mbarrier, or no longer.
  void MarkBarrier(std::uint32_t rank, std::uint32_t offset, std::uint32_t bytes, bool live);
  // What is remembered of a byte, newest kind last: for messages.
  std::vector<PastAccess> History(std::uint32_t rank, std::uint32_t offset) const;

 private:
  struct Cell {
    // Slot of the last ordinary write, with flags above it. Split: write_time is the index of the children.
    std::uint32_t writer = 0, write_time = 0;
    // First slot of the lanes that read since, 0 when there are none. Many: index of a list that has more, or other kinds;
    // then read_time is 1 when all are reads, and read_lanes the place of the entry that was added to last.
    std::uint32_t reader = 0, read_time = 0, read_lanes = 0;
    std::uint16_t write_site = 0, read_site = 0;
  };
  static constexpr std::uint32_t kSlotBits = 0x00ffffff;
  static constexpr std::uint32_t kWritten = 1u << 31;
  static constexpr std::uint32_t kAsyncProxy = 1u << 30;
  static constexpr std::uint32_t kSplit = 1u << 29;
  static constexpr std::uint32_t kBarrierBytes = 1u << 28;
  static constexpr std::uint32_t kMany = 1u << 31;

  // Levels of cells: their bytes, and into how many of the next level one is split.
  static constexpr int kLevels = 4;
  static constexpr std::uint32_t kBytes[kLevels] = {16, 4, 2, 1};
  static constexpr std::uint32_t kFan[kLevels] = {4, 2, 2, 0};
  static constexpr std::uint32_t kPageBytes = 1024;
  static constexpr std::size_t kListRoom = 8;  // of a list at first
  using Page = std::array<Cell, kPageBytes / 16>;

  // Groups of `fan` cells that follow each other, by the index of the first.
  struct Pool {
    static constexpr std::uint32_t kBlock = 1024;
    std::vector<std::unique_ptr<Cell[]>> blocks;
    std::vector<std::uint32_t> free;
    std::uint32_t used = 0;
    std::uint32_t Take(std::uint32_t fan);
    Cell* At(std::uint32_t index) const { return &blocks[index / kBlock][index % kBlock]; }
  };

  // Calls visit(cell, level, offset) for the cells of whole range, splitting those that stick out of it when `split`;
  // without it those are visited whole.
  template <class Visit>
  void Walk(std::uint32_t rank, std::uint32_t offset, std::uint32_t bytes, const Visit& visit);
  template <class Visit>
  void WalkInside(Cell& cell, int level, std::uint32_t base, std::uint32_t offset, std::uint32_t bytes,
                  const Visit& visit);
  Page& PageAt(std::uint32_t rank, std::uint32_t offset);
  Page& NewPage(std::uint32_t rank, std::uint32_t page);
  Cell* Children(const Cell& cell, int level) const { return pools_[level > 0].At(cell.write_time); }
  void Split(Cell& cell, int level);
  void FreeChildren(Cell& cell, int level);

  bool AddPlainly(Cell& cell, const Access& access);
  void AddToCell(Cell& cell, int level, std::uint32_t offset, const Access& access);
  bool Ordered(const Access& access);
  static bool OnlyReads(const Cell& cell) { return (cell.reader & kMany) != 0 && cell.read_time == 1; }
  static void SetWriter(Cell& cell, const Access& access);
  void AddTo(Cell& cell, int level, std::uint32_t offset, const Access& access);
  void Read(Cell& cell, int level, std::uint32_t offset, const Access& access);
  void Write(Cell& cell, int level, std::uint32_t offset, const Access& access);
  void Strong(Cell& cell, int level, std::uint32_t offset, const Access& access);
  bool OrderedIn(const Cell& cell, int level, const Access& access) const;

  void CheckWriter(const Cell& cell, int level, std::uint32_t offset, const Access& access) const;
  void CheckEntries(const Cell& cell, int level, std::uint32_t offset, const Access& access) const;
  void AddReader(Cell& cell, const PastAccess& entry, const View& view);
  void AddToList(Cell& cell, const PastAccess& entry, const View& view);
  static void Prune(std::vector<PastAccess>* list, const PastAccess& entry, const View& view);
  std::uint32_t TakeList();
  void FreeList(Cell& cell);
  static PastAccess ReaderOf(const Cell& cell);
  static PastAccess WriterOf(const Cell& cell);
  [[noreturn]] void Report(Conflict::What what, const Access& now, const PastAccess& before, int level,
                           std::uint32_t offset) const;

  std::vector<std::vector<std::unique_ptr<Page>>> pages_;  // by rank and kPageBytes of offset
  Pool pools_[2];                                          // children of 16 bytes; of 4 and 2
  std::vector<std::vector<PastAccess>> lists_;
  std::vector<std::uint32_t> free_lists_;
  ConflictHandler* handler_;
};

}  // namespace emu
