// The table of arithmetic instructions, and what chooses by type where one name has several groups.
#include "tools/emulator/exec/families.h"

#include "tools/emulator/alu/groups.h"

namespace emu {
namespace {

using alu::Decoder;
using alu::Lower;
using ptx::Type;

bool IsIntegerLike(Type type) { return alu::IsInteger(type) || type == Type::kU16x2 || type == Type::kS16x2; }

Op LowerAdd(Decoder& d) {
  if (d.Has("cc")) return alu::LowerAddCarry(d, false);
  if (IsIntegerLike(d.type())) return alu::LowerIntegerAdd(d);
  return alu::IsHalf(d.type()) ? alu::LowerHalfAdd(d) : alu::LowerFloatAdd(d);
}

Op LowerSub(Decoder& d) {
  if (d.Has("cc")) return alu::LowerSubCarry(d, false);
  if (IsIntegerLike(d.type())) return alu::LowerIntegerSub(d);
  return alu::IsHalf(d.type()) ? alu::LowerHalfSub(d) : alu::LowerFloatSub(d);
}

Op LowerMul(Decoder& d) {
  if (IsIntegerLike(d.type())) return alu::LowerIntegerMul(d);
  return alu::IsHalf(d.type()) ? alu::LowerHalfMul(d) : alu::LowerFloatMul(d);
}

Op LowerMad(Decoder& d) {
  if (d.Has("cc")) return alu::LowerMadCarry(d, false);
  return IsIntegerLike(d.type()) ? alu::LowerIntegerMad(d) : alu::LowerFloatFma(d);
}

Op LowerFma(Decoder& d) { return alu::IsHalf(d.type()) ? alu::LowerHalfFma(d) : alu::LowerFloatFma(d); }
Op LowerDiv(Decoder& d) { return IsIntegerLike(d.type()) ? alu::LowerIntegerDiv(d) : alu::LowerFloatDiv(d); }
Op LowerMin(Decoder& d) { return IsIntegerLike(d.type()) ? alu::LowerIntegerMin(d) : alu::LowerFloatMin(d); }
Op LowerMax(Decoder& d) { return IsIntegerLike(d.type()) ? alu::LowerIntegerMax(d) : alu::LowerFloatMax(d); }
Op LowerAbs(Decoder& d) { return IsIntegerLike(d.type()) ? alu::LowerIntegerAbs(d) : alu::LowerFloatAbs(d); }
Op LowerNeg(Decoder& d) { return IsIntegerLike(d.type()) ? alu::LowerIntegerNeg(d) : alu::LowerFloatNeg(d); }

Op RefuseVideo(Decoder& d) { d.Refuse("video instructions are not known to the emulator"); }

constexpr Family kFamilies[] = {
    {"add", Lower<LowerAdd>},
    {"sub", Lower<LowerSub>},
    {"mul", Lower<LowerMul>},
    {"mad", Lower<LowerMad>},
    {"fma", Lower<LowerFma>},
    {"div", Lower<LowerDiv>},
    {"rem", Lower<alu::LowerRem>},
    {"min", Lower<LowerMin>},
    {"max", Lower<LowerMax>},
    {"abs", Lower<LowerAbs>},
    {"neg", Lower<LowerNeg>},
    {"sad", Lower<alu::LowerSad>},
    {"mul24", Lower<alu::LowerMul24>},
    {"mad24", Lower<alu::LowerMad24>},
    {"addc", Lower<alu::LowerAddc>},
    {"subc", Lower<alu::LowerSubc>},
    {"madc", Lower<alu::LowerMadc>},
    {"dp4a", Lower<alu::LowerDp4a>},
    {"dp2a", Lower<alu::LowerDp2a>},
    {"and", Lower<alu::LowerAnd>},
    {"or", Lower<alu::LowerOr>},
    {"xor", Lower<alu::LowerXor>},
    {"not", Lower<alu::LowerNot>},
    {"cnot", Lower<alu::LowerCnot>},
    {"lop3", Lower<alu::LowerLop3>},
    {"shl", Lower<alu::LowerShl>},
    {"shr", Lower<alu::LowerShr>},
    {"shf", Lower<alu::LowerShf>},
    {"popc", Lower<alu::LowerPopc>},
    {"clz", Lower<alu::LowerClz>},
    {"bfind", Lower<alu::LowerBfind>},
    {"fns", Lower<alu::LowerFns>},
    {"brev", Lower<alu::LowerBrev>},
    {"bfe", Lower<alu::LowerBfe>},
    {"bfi", Lower<alu::LowerBfi>},
    {"bmsk", Lower<alu::LowerBmsk>},
    {"szext", Lower<alu::LowerSzext>},
    {"prmt", Lower<alu::LowerPrmt>},
    {"copysign", Lower<alu::LowerCopysign>},
    {"rcp", Lower<alu::LowerRcp>},
    {"sqrt", Lower<alu::LowerSqrt>},
    {"rsqrt", Lower<alu::LowerRsqrt>},
    {"sin", Lower<alu::LowerSin>},
    {"cos", Lower<alu::LowerCos>},
    {"lg2", Lower<alu::LowerLg2>},
    {"ex2", Lower<alu::LowerEx2>},
    {"tanh", Lower<alu::LowerTanh>},
    {"setp", Lower<alu::LowerSetp>},
    {"set", Lower<alu::LowerSet>},
    {"testp", Lower<alu::LowerTestp>},
    {"selp", Lower<alu::LowerSelp>},
    {"slct", Lower<alu::LowerSlct>},
    {"mov", Lower<alu::LowerMov>},
    {"cvt", Lower<alu::LowerCvt>},
    {"vadd", Lower<RefuseVideo>},
    {"vsub", Lower<RefuseVideo>},
    {"vabsdiff", Lower<RefuseVideo>},
    {"vmin", Lower<RefuseVideo>},
    {"vmax", Lower<RefuseVideo>},
    {"vshl", Lower<RefuseVideo>},
    {"vshr", Lower<RefuseVideo>},
    {"vmad", Lower<RefuseVideo>},
    {"vset", Lower<RefuseVideo>},
};

}  // namespace

std::span<const Family> ArithmeticFamilies() { return kFamilies; }

}  // namespace emu
