// Which lines of the source a report's PTX lines come from.
#include "tools/emulator/ptx/source_lines.h"

#include <gtest/gtest.h>

namespace emu::ptx {
namespace {

constexpr const char* kText =
    ".version 9.0\n"                                                      // 1
    ".target sm_90a\n"                                                    // 2
    ".visible .entry first()\n"                                           // 3
    "{\n"                                                                 // 4
    "\t.loc\t1 20 3\n"                                                    // 5
    "\tmov.u32 %r1, 1;\n"                                                 // 6
    "\tmov.u32 %r2, 1;\n"                                                 // 7
    "\t.loc 2 88 5, function_name $L__info_string0, inlined_at 1 21 9\n"  // 8
    "\tbar.sync 0;\n"                                                     // 9
    "}\n"                                                                 // 10
    ".visible .entry second()\n"                                          // 11
    "{\n"                                                                 // 12
    "\tret;\n"                                                            // 13
    "}\n"                                                                 // 14
    ".file\t1 \"/a/b/kernel.cu\"\n"                                       // 15
    ".file 2 \"pipeline.cuh\", 1700000000, 5000\n";                       // 16

TEST(SourceLines, OfEachLineThatTheMessageSpeaksOf) {
  EXPECT_EQ(SourceLines(kText, "race in first, PTX line 9\nread at PTX line 7 by ...; before line 9: wait\n"),
            "In the source, by .loc:\n"
            "  line 7: kernel.cu:20\n"
            "  line 9: pipeline.cuh:88, inlined at kernel.cu:21\n");
}

TEST(SourceLines, NoneOfAKernelWithoutThem) {
  EXPECT_EQ(SourceLines(kText, "PTX line 13"), "");
  EXPECT_EQ(SourceLines(kText, "PTX line 3, line 1000, line x, line"), "");
  EXPECT_EQ(SourceLines("", "PTX line 1"), "");
}

TEST(SourceLines, BrokenDirectives) {
  EXPECT_EQ(SourceLines(".loc\nret;\n", "line 2"), "");
  EXPECT_EQ(SourceLines(".loc 7 x\nret;", "line 2"), "In the source, by .loc:\n  line 2: ?:-1\n");
  EXPECT_EQ(SourceLines(".loc 7 1 1\nret;\n.file 7 \"", "line 2"), "In the source, by .loc:\n  line 2: ?:1\n");
  EXPECT_EQ(SourceLines(".loc 99999999999 1 1\nret;\n", "line 2"), "");
}

}  // namespace
}  // namespace emu::ptx
