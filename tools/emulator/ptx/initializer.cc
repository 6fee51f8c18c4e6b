// Initial values of variables (PTX ISA, "Initializers").
#include <bit>
#include <cstring>

#include "tools/emulator/ptx/expression.h"
#include "tools/emulator/ptx/parser.h"

namespace emu::ptx {
namespace {

constexpr std::uint64_t kMaxInitialBytes = std::uint64_t{256} << 20;
constexpr std::uint32_t kAddressBytes = 8;

class Initializer {
 public:
  Initializer(Tokens& tokens, std::vector<std::uint64_t> dimensions, Variable& variable)
      : tokens_(tokens), dimensions_(std::move(dimensions)), variable_(variable), size_(SizeOf(variable.type)) {
    open_ = !dimensions_.empty() && dimensions_[0] == 0;
    if (variable.vector > 1) dimensions_.push_back(variable.vector);
    limit_ = kMaxInitialBytes / size_;
    if (open_) return;
    if (variable.size() > kMaxInitialBytes) tokens_.Fail("a variable with an initial value is too large");
    limit_ = variable.elements * variable.vector;
  }

  void Run() {
    if (tokens_.Peek().Is("{")) {
      Group(0, 0, limit_);
    } else {
      Item(0, limit_);
    }
    if (pieces_ != 0 && pieces_ != kAddressBytes) tokens_.Fail("only parts of an address");
    if (open_) {
      const std::uint64_t scalars = variable_.bytes.size() / size_;
      const std::uint64_t row = Product(1);
      variable_.elements = (scalars + row - 1) / row * row / variable_.vector;
    }
    variable_.bytes.resize(variable_.size());
  }

 private:
  // Scalars of what the dimensions from `level` on hold.
  std::uint64_t Product(std::size_t level) const {
    std::uint64_t product = 1;
    for (std::size_t i = level; i < dimensions_.size(); ++i) product *= dimensions_[i];
    return product;
  }

  // "{...}" for the scalars [begin, begin + count), whose rows are those of dimension `level`.
  void Group(std::size_t level, std::uint64_t begin, std::uint64_t count) {
    const Tokens::Nesting nesting(tokens_);
    tokens_.Take();
    std::uint64_t at = begin;
    while (!tokens_.Peek().Is("}")) {
      if (tokens_.Peek().Is("{")) {
        const std::uint64_t row = Product(level + 1);
        if (level + 1 >= std::max<std::size_t>(dimensions_.size(), 1))
          tokens_.Fail("more braces than dimensions");
        if (row == 0 || (at - begin) % row != 0 || row > begin + count - at)
          tokens_.Fail("too many initial values");
        Group(level + 1, at, row);
        at += row;
      } else {
        at += Item(at, begin + count - at);
      }
      if (!tokens_.Accept(",")) break;
    }
    tokens_.Expect("}", "an initial value");
  }

  // One value, or a string; `room` scalars are left. Returns how many it filled.
  std::uint64_t Item(std::uint64_t at, std::uint64_t room) {
    const std::uint64_t count = tokens_.Peek().kind == Token::Kind::kString ? String(at, room) : 1;
    if (count > room) tokens_.Fail("too many initial values");
    if (tokens_.Peek().kind == Token::Kind::kString) {
      tokens_.Take();
      return count;
    }
    if (tokens_.Peek().kind == Token::Kind::kWord && tokens_.Peek().text != "WARP_SZ") {
      Address(at * size_, size_, 0);
      return 1;
    }
    const Constant value = ParseConstant(tokens_);
    if (tokens_.Accept("(")) {
      Masked(at * size_, value);
      tokens_.Expect(")", "a masked address");
    } else {
      Store(at, value);
    }
    return 1;
  }

  void Write(std::uint64_t at, std::uint64_t bits, std::uint32_t bytes) {
    if (variable_.bytes.size() < at + bytes) variable_.bytes.resize(at + bytes);
    std::memcpy(variable_.bytes.data() + at, &bits, bytes);
  }

  void Store(std::uint64_t at, const Constant& value) {
    const bool real = variable_.type == Type::kF32 || variable_.type == Type::kF64;
    std::uint64_t bits = value.bits;
    if (value.kind == Constant::Kind::kInteger) {
      if (real) bits = FromDouble(value.is_unsigned ? static_cast<double>(bits) : AsSigned(bits));
    } else {
      const bool single = value.kind == Constant::Kind::kSingle;
      const bool raw = (variable_.type == Type::kB32 && single) || (variable_.type == Type::kB64 && !single);
      if (!real && !raw) {
        tokens_.Fail(std::string("a floating-point value for a variable of type .") + ToString(variable_.type));
      }
      const bool same = single == (size_ == 4);
      if (!same) {
        bits = FromDouble(single ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                                 : std::bit_cast<double>(bits));
      }
    }
    Write(at * size_, bits, std::min(size_, kAddressBytes));
    if (size_ > kAddressBytes) Write(at * size_ + kAddressBytes, 0, size_ - kAddressBytes);
  }

  static double AsSigned(std::uint64_t bits) { return static_cast<double>(static_cast<std::int64_t>(bits)); }

  // Bits of a value of the variable's floating-point type.
  std::uint64_t FromDouble(double value) const {
    if (variable_.type == Type::kF64) return std::bit_cast<std::uint64_t>(value);
    return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }

  // "foo", "foo + 4", "generic(foo) + 4": `bytes` of it, from byte `piece` on.
  void Address(std::uint64_t at, std::uint32_t bytes, std::uint64_t piece) {
    Variable::Patch patch;
    patch.symbol = tokens_.ExpectWord("a value or a name");
    if (patch.symbol == "generic" && tokens_.Accept("(")) {
      patch.generic = true;
      patch.symbol = tokens_.ExpectWord("a name");
      tokens_.Expect(")", "'generic('");
    }
    if (tokens_.Peek().Is("+") || tokens_.Peek().Is("-")) {
      const Constant addend = ParseConstant(tokens_);
      if (addend.kind != Constant::Kind::kInteger) tokens_.Fail("an offset must be an integer");
      patch.addend = static_cast<std::int64_t>(addend.bits);
    }
    patch.at = at - piece;
    Write(at, 0, std::min(bytes, kAddressBytes));
    if (bytes == kAddressBytes) {
      variable_.patches.push_back(std::move(patch));
      return;
    }
    Piece(std::move(patch), bytes, piece);
  }

  // Compilers write a pointer inside an array of smaller elements as its pieces, one behind the other, the lowest first.
  // Together they are one patch.
  void Piece(Variable::Patch patch, std::uint32_t bytes, std::uint64_t piece) {
    if (piece == 0) {
      if (pieces_ != 0 && pieces_ != kAddressBytes) tokens_.Fail("only parts of an address");
      variable_.patches.push_back(std::move(patch));
    } else {
      const Variable::Patch* last = variable_.patches.empty() ? nullptr : &variable_.patches.back();
      const bool continues = last != nullptr && pieces_ == piece && last->at == patch.at &&
                             last->symbol == patch.symbol && last->addend == patch.addend &&
                             last->generic == patch.generic;
      if (!continues) tokens_.Fail("parts of an address that do not follow each other");
    }
    pieces_ = piece + bytes;
  }

  // "0xFF00(foo)": the address's second byte (PTX ISA, "Initializers": mask(symbol)).
  void Masked(std::uint64_t at, const Constant& mask) {
    const std::uint64_t ones = size_ >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size_)) - 1;
    for (std::uint64_t piece = 0; piece + size_ <= kAddressBytes; piece += size_) {
      if (mask.kind == Constant::Kind::kInteger && mask.bits == ones << (8 * piece))
        return Address(at, size_, piece);
    }
    tokens_.Fail("the mask of an address must select one element's bytes");
  }

  std::uint64_t String(std::uint64_t at, std::uint64_t room) {
    if (size_ != 1) tokens_.Fail("a string for a variable whose elements are no bytes");
    const std::string_view text = tokens_.Peek().text;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < text.size() && count <= room; ++count) {
      Write(at + count, static_cast<unsigned char>(Character(text, &i)), 1);
    }
    return count;
  }

  // One character, as in C, and `i` behind it.
  static char Character(std::string_view text, std::size_t* i) {
    const char c = text[(*i)++];
    if (c != '\\' || *i >= text.size()) return c;
    const char escape = text[(*i)++];
    static constexpr std::string_view kNames = "abfnrtv", kCodes = "\a\b\f\n\r\t\v";
    if (const std::size_t known = kNames.find(escape); known != std::string_view::npos) return kCodes[known];
    const bool hex = escape == 'x';
    if (!hex && (escape < '0' || escape > '7')) return escape;
    int value = hex ? 0 : escape - '0';
    for (int digits = hex ? 0 : 1; digits < (hex ? 2 : 3) && *i < text.size(); ++digits) {
      const std::string_view known = hex ? "0123456789abcdef" : "01234567";
      const char lower = static_cast<char>(text[*i] >= 'A' && text[*i] <= 'F' ? text[*i] | 0x20 : text[*i]);
      const std::size_t digit = known.find(lower);
      if (digit == std::string_view::npos) break;
      value = value * static_cast<int>(known.size()) + static_cast<int>(digit);
      ++*i;
    }
    return static_cast<char>(value);
  }

  Tokens& tokens_;
  std::vector<std::uint64_t> dimensions_;
  Variable& variable_;
  std::uint32_t size_;
  bool open_ = false;         // the first dimension is the number of rows that are given
  std::uint64_t limit_ = 0;   // scalars
  std::uint64_t pieces_ = 0;  // bytes of the last masked address that were given
};

}  // namespace

void ParseInitializer(Tokens& tokens, const std::vector<std::uint64_t>& dimensions, Variable& variable) {
  Initializer(tokens, dimensions, variable).Run();
}

}  // namespace emu::ptx
