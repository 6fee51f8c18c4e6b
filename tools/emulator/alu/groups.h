// What the instructions of this folder are lowered by. Each takes the modifiers that it understands from the decoder.
#pragma once

#include "tools/emulator/alu/decode.h"
#include "tools/emulator/exec/op.h"

namespace emu::alu {

// integer.cc: types u16 ... s64
Op LowerIntegerAdd(Decoder& d);
Op LowerIntegerSub(Decoder& d);
Op LowerIntegerMul(Decoder& d);
Op LowerIntegerMad(Decoder& d);
Op LowerIntegerDiv(Decoder& d);
Op LowerRem(Decoder& d);
Op LowerIntegerMin(Decoder& d);
Op LowerIntegerMax(Decoder& d);
Op LowerIntegerAbs(Decoder& d);
Op LowerIntegerNeg(Decoder& d);
Op LowerSad(Decoder& d);
Op LowerMul24(Decoder& d);
Op LowerMad24(Decoder& d);

// carry.cc: what reads or writes CC.CF
Op LowerAddCarry(Decoder& d, bool reads);
Op LowerSubCarry(Decoder& d, bool reads);
Op LowerMadCarry(Decoder& d, bool reads);
Op LowerAddc(Decoder& d);
Op LowerSubc(Decoder& d);
Op LowerMadc(Decoder& d);

// dot.cc
Op LowerDp4a(Decoder& d);
Op LowerDp2a(Decoder& d);

// logic.cc
Op LowerAnd(Decoder& d);
Op LowerOr(Decoder& d);
Op LowerXor(Decoder& d);
Op LowerNot(Decoder& d);
Op LowerCnot(Decoder& d);
Op LowerLop3(Decoder& d);

// shift.cc
Op LowerShl(Decoder& d);
Op LowerShr(Decoder& d);
Op LowerShf(Decoder& d);

// bits.cc
Op LowerPopc(Decoder& d);
Op LowerClz(Decoder& d);
Op LowerBfind(Decoder& d);
Op LowerFns(Decoder& d);
Op LowerBrev(Decoder& d);
Op LowerBfe(Decoder& d);
Op LowerBfi(Decoder& d);
Op LowerBmsk(Decoder& d);
Op LowerSzext(Decoder& d);
Op LowerPrmt(Decoder& d);

// float.cc: f32, f32x2, f64, and f32 with half precision operands
Op LowerFloatAdd(Decoder& d);
Op LowerFloatSub(Decoder& d);
Op LowerFloatMul(Decoder& d);
Op LowerFloatFma(Decoder& d);
// float_minmax.cc: every floating point type
Op LowerFloatMin(Decoder& d);
Op LowerFloatMax(Decoder& d);
Op LowerFloatAbs(Decoder& d);
Op LowerFloatNeg(Decoder& d);
Op LowerCopysign(Decoder& d);
// quotient.cc
Op LowerFloatDiv(Decoder& d);
Op LowerRcp(Decoder& d);
Op LowerSqrt(Decoder& d);
Op LowerRsqrt(Decoder& d);
// transcendental.cc
Op LowerSin(Decoder& d);
Op LowerCos(Decoder& d);
Op LowerLg2(Decoder& d);
Op LowerEx2(Decoder& d);
Op LowerTanh(Decoder& d);

// half.cc: f16, f16x2, bf16, bf16x2
Op LowerHalfAdd(Decoder& d);
Op LowerHalfSub(Decoder& d);
Op LowerHalfMul(Decoder& d);
Op LowerHalfFma(Decoder& d);

// compare.cc
Op LowerSetp(Decoder& d);
Op LowerSet(Decoder& d);
Op LowerTestp(Decoder& d);
// select.cc
Op LowerSelp(Decoder& d);
Op LowerSlct(Decoder& d);

// move.cc
Op LowerMov(Decoder& d);

// convert.cc, convert_packed.cc, convert_hot.cc
Op LowerCvt(Decoder& d);
Op LowerCvtPacked(Decoder& d);
Op LowerCvtPack(Decoder& d);

}  // namespace emu::alu
