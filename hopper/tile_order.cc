#include "hopper/tile_order.h"

namespace gemm::hopper {

Divisor MakeDivisor(std::int64_t divisor) {
  const unsigned shift = 31 + Log2(static_cast<unsigned>(divisor));
  const std::uint64_t power = std::uint64_t{1} << shift;
  const auto by = static_cast<std::uint64_t>(divisor);
  return {static_cast<unsigned>(divisor), static_cast<unsigned>((power + by - 1) / by), shift};
}

Bands MakeBands(std::int64_t across, std::int64_t along, std::int64_t width) {
  const std::int64_t rest = across % width;
  return {static_cast<unsigned>(across), MakeDivisor(width * along), MakeDivisor(width),
          MakeDivisor(rest == 0 ? width : rest)};
}

}  // namespace gemm::hopper
