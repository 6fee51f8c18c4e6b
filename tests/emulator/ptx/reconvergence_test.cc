// Where lanes meet again: small kernels, and random graphs against the definition of post-dominance.
#include <algorithm>

#include "tests/emulator/ptx/parse.h"
#include "tools/emulator/base/random.h"

namespace emu::ptx {
namespace {

std::vector<int> Meet(const std::string& statements) { return Reconvergence(Statements(statements)); }

TEST(Reconvergence, IfElseMeetsBehindBoth) {
  EXPECT_EQ(Meet("@%p0 bra Else; add.s32 %r0, %r0, 1; bra Join; Else: add.s32 %r0, %r0, 2; Join: mov.u32 %r1, "
                 "%r0; ret;"),
            (std::vector<int>{4, -1, 4, -1, -1, -1}));
}

TEST(Reconvergence, LoopMeetsBehindIt) {
  EXPECT_EQ(Meet("Head: add.s32 %r0, %r0, 1; @%p0 bra Head; mov.u32 %r1, %r0; ret;"),
            (std::vector<int>{-1, 2, -1, -1}));
}

TEST(Reconvergence, TablesHaveManyWays) {
  const auto meet = Meet(
      "T: .branchtargets A, B, C; @%p0 brx.idx %r0, T; mov.u32 %r1, 0; A: mov.u32 %r1, 1; bra D; B: mov.u32 "
      "%r1, 2; bra D;"
      " C: mov.u32 %r1, 3; D: mov.u32 %r2, %r1; ret;");
  EXPECT_EQ(meet.at(0), 7);
}

// In a kernel, who is done exits and is not waited for.
TEST(Reconvergence, EarlyExitsDoNotCount) {
  // "if (a) { if (b) return; work; } join": the outer branch meets at the join, the inner one at once.
  const auto meet =
      Meet("@%p0 bra Join; @%p1 bra Done; add.s32 %r0, %r0, 1; Join: mov.u32 %r1, %r0; Done: ret;");
  EXPECT_EQ(meet, (std::vector<int>{3, 2, -1, -1, -1}));
  EXPECT_EQ(Meet("@%p0 bra Join; @%p1 exit; add.s32 %r0, %r0, 1; Join: mov.u32 %r1, %r0; ret;").at(0), 3);
  EXPECT_EQ(Meet("@%p0 bra Done; mov.u32 %r1, %r0; Done: ret;").at(0), 1);
  EXPECT_EQ(Meet("@%p0 bra A; mov.u32 %r1, 1; ret; A: mov.u32 %r1, 2; ret;").at(0), 5) << "two ends: nowhere";
  EXPECT_EQ(Meet("@%p0 bra A; mov.u32 %r1, 1; bra Done; A: mov.u32 %r1, 2; Done: ret;").at(0), 5)
      << "nobody waits at the last ret";
}

// A function's lanes meet where they return.
TEST(Reconvergence, ReturnsOfFunctionsCount) {
  const auto module = ParseModule(
      ".func f() { .reg .pred p; .reg .b32 r; @p bra A; mov.b32 r, 1; bra Done; A: mov.b32 r, 2; Done: ret; }\n"
      ".func g() { .reg .pred p; .reg .b32 r; @p bra A; @p ret; mov.b32 r, 1; A: mov.b32 r, 2; ret; }\n"
      ".func h() { .reg .pred p; .reg .b32 r; @p bra A; @p exit; mov.b32 r, 1; A: mov.b32 r, 2; ret; }");
  EXPECT_EQ(Reconvergence(*module->Find("f")).at(0), 4);
  EXPECT_EQ(Reconvergence(*module->Find("g")).at(0), 5);
  EXPECT_EQ(Reconvergence(*module->Find("h")).at(0), 3);
}

TEST(Reconvergence, TrapsAndEndlessLoopsDoNotCount) {
  EXPECT_EQ(Meet("@%p0 bra Join; @%p1 bra Fine; mov.u32 %r0, 7; trap; Fine: mov.u32 %r0, 1; Join: mov.u32 %r1, "
                 "%r0; ret;"),
            (std::vector<int>{5, 4, -1, -1, -1, -1, -1}));
  EXPECT_EQ(
      Meet("@%p0 bra Join; @%p1 bra Fine; Spin: bra Spin; Fine: mov.u32 %r0, 1; Join: mov.u32 %r1, %r0; ret;")
          .at(0),
      4);
  // A branch inside an endless loop.
  EXPECT_EQ(
      Meet("Head: @%p0 bra A; mov.u32 %r0, 1; bra B; A: mov.u32 %r0, 2; B: mov.u32 %r1, %r0; bra Head;").at(0),
      4);
  // A loop that only exits leave.
  EXPECT_EQ(Meet("Head: @%p0 bra A; mov.u32 %r0, 1; bra B; A: mov.u32 %r0, 2; B: @%p1 exit; bra Head;").at(0),
            4);
  EXPECT_EQ(Meet("@%p0 bra A; trap; A: trap;").at(0), 3);
}

TEST(Reconvergence, NoCode) {
  const auto module = ParseModule(".func f; .entry k() {}");
  EXPECT_TRUE(Reconvergence(*module->Find("f")).empty());
  EXPECT_EQ(Reconvergence(*module->Find("k")), (std::vector<int>{-1}));
}

// A function of blocks "L<i>: add; <end>", so that block i begins at instruction 2i.
struct Blocks {
  std::string text;
  std::vector<std::vector<int>> successors;  // size(): the end
  int size() const { return static_cast<int>(successors.size()); }
};

Blocks RandomBlocks(Random& random, int count) {
  Blocks blocks;
  blocks.successors.resize(count);
  std::string tables;
  for (int i = 0; i < count; ++i) {
    const auto target = [&] { return static_cast<int>(random.Below(count)); };
    const std::string name = std::to_string(i);
    std::vector<int>& next = blocks.successors[i];
    blocks.text += "L" + name + ": add.s32 r, r, 1;\n";
    const bool last = i + 1 == count;
    const std::uint32_t kind = last ? 0 : random.Below(6);
    if (kind == 0) {
      blocks.text += "ret;\n";
      next = {count};
    } else if (kind == 1) {
      next = {target()};
      blocks.text += "bra L" + std::to_string(next[0]) + ";\n";
    } else if (kind == 2) {
      next = {i + 1, count};
      blocks.text += "@p ret;\n";
    } else if (kind == 3) {
      next = {target(), target(), target()};
      tables += "T" + name + ": .branchtargets";
      for (int t = 0; t < 3; ++t) tables += (t ? ", L" : " L") + std::to_string(next[t]);
      tables += ";\n";
      blocks.text += "brx.idx r, T" + name + ";\n";
    } else {
      next = {i + 1, target()};
      blocks.text += "@!p bra L" + std::to_string(next[1]) + ";\n";
    }
  }
  blocks.text = ".func f() {\n.reg .b32 r; .reg .pred p;\n" + tables + blocks.text + "}\n";
  return blocks;
}

// Whether the end can be reached from `from` without passing `without`.
bool EndReachable(const Blocks& blocks, int from, int without) {
  std::vector<bool> seen(blocks.size() + 1, false);
  std::vector<int> work;
  if (from != without) work.push_back(from);
  while (!work.empty()) {
    const int at = work.back();
    work.pop_back();
    if (at == blocks.size()) return true;
    if (seen[at]) continue;
    seen[at] = true;
    for (const int next : blocks.successors[at]) {
      if (next != without) work.push_back(next);
    }
  }
  return false;
}

// The post-dominator of `block` that all its other ones post-dominate: the end when it has no other.
int ImmediatePostDominator(const Blocks& blocks, int block) {
  std::vector<int> dominators;
  for (int i = 0; i < blocks.size(); ++i) {
    if (i != block && !EndReachable(blocks, block, i)) dominators.push_back(i);
  }
  for (const int candidate : dominators) {
    const bool nearest = std::all_of(dominators.begin(), dominators.end(), [&](int other) {
      return other == candidate || !EndReachable(blocks, candidate, other);
    });
    if (nearest) return candidate;
  }
  return blocks.size();
}

TEST(Reconvergence, RandomGraphsAgreeWithTheDefinition) {
  Random random(7);
  int graphs = 0, branches = 0, inner = 0;
  while (graphs < 400) {
    const Blocks blocks = RandomBlocks(random, 3 + static_cast<int>(random.Below(14)));
    bool ends = true;
    for (int i = 0; i < blocks.size(); ++i) ends = ends && EndReachable(blocks, i, -1);
    if (!ends) continue;
    ++graphs;
    const Function function = ParseModule(blocks.text)->functions.at(0);
    ASSERT_EQ(function.code.size(), 2u * blocks.size());
    const std::vector<int> meet = Reconvergence(function);
    for (int i = 0; i < blocks.size(); ++i) {
      EXPECT_EQ(meet[2 * i], -1);
      const std::string& opcode = function.code[2 * i + 1].opcode;
      const int expected = opcode == "ret" ? -1 : 2 * ImmediatePostDominator(blocks, i);
      ASSERT_EQ(meet[2 * i + 1], expected) << "block " << i << " of\n" << blocks.text;
      branches += expected >= 0;
      inner += expected >= 0 && expected < 2 * blocks.size();
    }
  }
  EXPECT_GT(branches, 1000);
  EXPECT_GT(inner, 400);
}

// Any graph, endless loops and dead code included: an answer for every branch.
TEST(Reconvergence, AnyGraphHasAnAnswer) {
  Random random(8);
  for (int round = 0; round < 2000; ++round) {
    Blocks blocks = RandomBlocks(random, 1 + static_cast<int>(random.Below(12)));
    if (random.Chance(0.5)) blocks.text.replace(0, 7, ".entry f");
    for (std::size_t at; random.Chance(0.5) && (at = blocks.text.find("ret;")) != std::string::npos;) {
      blocks.text.replace(at, 3, random.Chance(0.5) ? "trap" : "exit");
    }
    const Function function = ParseModule(blocks.text)->functions.at(0);
    const std::vector<int> meet = Reconvergence(function);
    ASSERT_EQ(meet.size(), function.code.size());
    for (std::size_t i = 0; i < meet.size(); ++i) {
      const bool branch = function.code[i].opcode == "bra" || function.code[i].opcode == "brx";
      if (branch) {
        EXPECT_GE(meet[i], 0) << blocks.text;
        EXPECT_LE(meet[i], static_cast<int>(meet.size()));
      } else {
        EXPECT_EQ(meet[i], -1);
      }
    }
  }
}

}  // namespace
}  // namespace emu::ptx
