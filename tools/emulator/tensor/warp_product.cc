#include "tools/emulator/tensor/warp_product.h"

#include "tools/emulator/tensor/modifiers.h"
#include "tools/emulator/tensor/product.h"

namespace emu {

namespace {

constexpr int kMostA = 16 * 64, kMostB = 64 * 8, kMostC = 16 * 16;

void RunBits(Warp& warp, const WarpProduct& details) {
  std::uint32_t a[16 * 8], b[8 * 8];
  std::int32_t c[kMostC];
  const Shape& shape = details.shape;
  details.a.LoadWords(warp, a);
  details.b.LoadWords(warp, b);
  details.c.LoadIntegers(warp, c);
  AddProductBits(a, b, c, shape.m, shape.n, shape.k / 32, details.exclusive);
  details.d.StoreIntegers(warp, c);
}

}  // namespace

Flow RunWarpProduct(Warp& warp, const Op& op) {
  RequireWholeWarp(warp, op);
  const auto& details = static_cast<const WarpProduct&>(*op.details);
  if (details.a.type == Element::kB1) {
    RunBits(warp, details);
    return Flow::kNext;
  }
  alignas(64) double a[kMostA], b[kMostB], c[kMostC];
  details.a.Load(warp, a);
  details.b.Load(warp, b);
  details.c.Load(warp, c);
  const int m = details.shape.m, k = details.shape.k, panels = details.shape.n / 8;
  for (int product = 0; product < details.products; ++product) {
    for (int panel = 0; panel < panels; ++panel) {
      const double* left = a + product * m * k;
      const double* right = b + (product * panels + panel) * k * 8;
      double* sum = c + (product * panels + panel) * m * 8;
      if (details.d.type == Element::kF64) {
        AddProductF64(left, right, sum, m, 8, k, details.rounding);
      } else {
        AddProduct(left, right, sum, m, k);
      }
    }
  }
  details.d.Store(warp, c, details.saturate);
  return Flow::kNext;
}

}  // namespace emu
