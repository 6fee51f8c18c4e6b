// What cuda_kernels promises: every code embedded and packed, whole but for the comments of PTX, the reports of ptxas beside.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "common/driver/image.h"
#include "common/driver/unpack.h"
#include "gtest/gtest.h"
#include "tools/cuda/testdata/retargeted_kernels.h"
#include "tools/cuda/testdata/test_kernels.h"

namespace {

const gemm::driver::Image& image = gemm::images::test_kernels;

std::string Unpacked(const gemm::driver::Code& code) {
  std::string unpacked;
  EXPECT_TRUE(code.is_packed && gemm::driver::Unpack(code, &unpacked).ok())
      << code.source << " " << code.target;
  return unpacked;
}

// The file that was packed.
std::string Written(const gemm::driver::Image& of, const gemm::driver::Code& code) {
  const std::string path = std::string("tools/cuda/testdata/") + of.name + "/" + code.source + "." +
                           code.target + (code.is_ptx ? ".ptx" : ".cubin");
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// Line by line: no comments, no blanks around what is left. Lines with strings, in which // is no comment, stay whole.
std::string WithoutComments(const std::string& ptx) {
  std::istringstream lines(ptx);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (line.find('"') == std::string::npos) line.resize(std::min(line.find("//"), line.size()));
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front()))) line.erase(0, 1);
    kept += line + "\n";
  }
  return kept;
}

TEST(CudaKernels, EmbedsEveryCode) {
  EXPECT_STREQ(image.name, "test_kernels");
  std::set<std::string> found;
  for (size_t i = 0; i < image.count; ++i) {
    found.insert(std::string(image.codes[i].source) + " " + image.codes[i].target);
  }
  EXPECT_EQ(found, (std::set<std::string>{"fill sm_80", "fill sm_90a", "fill compute_80", "wgmma sm_80",
                                          "wgmma sm_90a", "wgmma compute_80"}));
  EXPECT_EQ(image.count, 6u);
}

TEST(CudaKernels, PacksAgainstTheSameTargetOfTheBase) {
  for (size_t i = 0; i < image.count; ++i) {
    const gemm::driver::Code& code = image.codes[i];
    if (std::strcmp(code.source, "fill") == 0) {
      EXPECT_EQ(code.base, nullptr);
      continue;
    }
    ASSERT_NE(code.base, nullptr);
    EXPECT_STREQ(code.base->source, "fill");
    EXPECT_STREQ(code.base->target, code.target);
  }
}

TEST(CudaKernels, CubinsAreElf) {
  for (size_t i = 0; i < image.count; ++i) {
    const gemm::driver::Code& code = image.codes[i];
    if (code.is_ptx) continue;
    EXPECT_EQ(Unpacked(code).substr(0, 4), "\177ELF") << code.source << " " << code.target;
  }
}

TEST(CudaKernels, PtxIsText) {
  int count = 0;
  for (size_t i = 0; i < image.count; ++i) {
    const gemm::driver::Code& code = image.codes[i];
    EXPECT_EQ(code.is_ptx, std::strncmp(code.target, "compute_", 8) == 0);
    if (!code.is_ptx) continue;
    ++count;
    const std::string text = Unpacked(code);
    EXPECT_NE(text.find(".target sm_80"), std::string::npos);
    EXPECT_NE(text.find(std::string(".entry ") + (std::strcmp(code.source, "fill") == 0 ? "fill" : "fence")),
              std::string::npos);
  }
  EXPECT_EQ(count, 2);
}

TEST(CudaKernels, RetargetsPtx) {
  const gemm::driver::Image& retargeted = gemm::images::retargeted_kernels;
  const std::string comment = "// sm_90: griddepcontrol.wait;";
  int count = 0;
  for (size_t i = 0; i < retargeted.count; ++i) {
    const gemm::driver::Code& code = retargeted.codes[i];
    if (!code.is_ptx) continue;
    ++count;
    const bool has_instruction = std::strcmp(code.target, "compute_90a") == 0;
    const std::string text = Written(retargeted, code);
    EXPECT_NE(text.find(has_instruction ? ".target sm_90a\n" : ".target sm_80\n"), std::string::npos) << text;
    EXPECT_EQ(text.find(comment) == std::string::npos, has_instruction) << text;
    EXPECT_NE(text.find("griddepcontrol.launch_dependents;"), std::string::npos) << text;
  }
  EXPECT_EQ(count, 4);
}

TEST(CudaKernels, UnpacksWhatWasPacked) {
  for (const gemm::driver::Image* image : {&gemm::images::test_kernels, &gemm::images::retargeted_kernels}) {
    for (size_t i = 0; i < image->count; ++i) {
      const gemm::driver::Code& code = image->codes[i];
      const std::string written = Written(*image, code);
      EXPECT_EQ(Unpacked(code), code.is_ptx ? WithoutComments(written) : written)
          << code.source << " " << code.target;
    }
  }
}

TEST(CudaKernels, DerivesPtxForEachArchitecture) {
  const gemm::driver::Image& image = gemm::images::retargeted_kernels;
  std::set<std::string> entries;
  for (size_t i = 0; i < image.count; ++i) {
    const gemm::driver::Code& code = image.codes[i];
    if (!code.is_ptx) continue;
    const std::string text = Unpacked(code);
    const size_t entry = text.find(".entry ");
    entries.insert(std::string(code.source) + " " + code.target +
                   text.substr(entry, text.find('(', entry) - entry));
  }
  EXPECT_EQ(entries, (std::set<std::string>{
                         "dependency compute_80.entry dependency", "dependency compute_90a.entry dependency",
                         "derivative compute_80.entry derivative", "derivative compute_90a.entry derivative"}));
}

TEST(CudaKernels, ReportsRegisters) {
  for (const char* name : {"fill.sm_80", "fill.sm_90a", "wgmma.sm_80", "wgmma.sm_90a"}) {
    std::ifstream file("tools/cuda/testdata/test_kernels/" + std::string(name) + ".ptxas.txt");
    ASSERT_TRUE(file) << name;
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_NE(text.str().find("Used"), std::string::npos) << text.str();
    EXPECT_NE(text.str().find("registers"), std::string::npos) << text.str();
    EXPECT_NE(text.str().find("0 bytes spill stores"), std::string::npos) << text.str();
  }
}

}  // namespace
