// The kernels that are recorded, as PTX: one instruction each, between the lines that make its operands and show its result.
#pragma once

#include <string>
#include <vector>

namespace gemm::recorded {

// Thread t of 256 gives one instruction 256 operands: all values of 16 bits between them, or words of every exponent and
// awkward mantissas. Its results are folded into one word, in which a single wrong bit still shows. Where the name begins
// with raw_, thread t has one operand, and its word is the result.
// Kernels: (unsigned* out), out[256].
std::vector<std::string> ConversionNames();
std::string ConversionPtx();

// One warp: exchanges, votes, matrices in shared memory, mma.sync. Kernels: (unsigned* out), lane by lane, 32 words a register.
std::string WarpPtx();

// What sm_90a adds, one CTA of 128 threads: tensor_load_2d(map, out, x, y, bytes, shown), tensor_store_2d(map, x, y),
// tensor_reduce_2d(map, x, y), wgmma_n16_{kk,kn,mk,mn}(out, a, b) and wgmma_n8_registers(out, b) with descriptors relative to
// the operands' address.
std::string HopperPtx();

// Numbers and asynchronous stores of sm_90a, one CTA of 128 threads that shows `words` in out.
struct OneCta {
  std::string name;
  std::size_t words;
  double tolerance = 0;
};
std::vector<OneCta> AsyncNames();
std::string AsyncPtx();
// D = A B of random numbers, 64 x n x 32 bytes of K, without a swizzle: (out, a, b) as above.
std::vector<OneCta> RandomProductNames();
std::string RandomProductPtx();

// --- For the three texts.
constexpr const char* kPtxHeader = ".version 8.6\n.target sm_90a\n.address_size 64\n";
// `text` with each `from` become `to`.
std::string Replaced(std::string text, const std::string& from, const std::string& to);
// `body` as a kernel of one CTA of 128 threads: %t: the thread; %memory: the shared address of 32 KB; %barrier: of an mbarrier.
std::string CtaKernel(const std::string& name, const std::string& params, const std::string& body);
// %to = one of -4 ... 4, by %seed: numbers that FP16, BF16, TF32 and FP8 hold exactly.
std::string Small(const std::string& to, const std::string& seed);

}  // namespace gemm::recorded
