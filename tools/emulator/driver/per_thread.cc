#include "tools/emulator/driver/per_thread.h"

using emu::driver::PerThread;

#define EMU_PARAMETER(symbol, index) PerThread<&symbol>::Parameter<index> p##index

#define EMU_EXPORT_1(name, symbol) \
  CUresult name(EMU_PARAMETER(symbol, 0)) { return PerThread<&symbol>::Call(p0); }
#define EMU_EXPORT_2(name, symbol) \
  CUresult name(EMU_PARAMETER(symbol, 0), EMU_PARAMETER(symbol, 1)) { return PerThread<&symbol>::Call(p0, p1); }
#define EMU_EXPORT_3(name, symbol)                                                              \
  CUresult name(EMU_PARAMETER(symbol, 0), EMU_PARAMETER(symbol, 1), EMU_PARAMETER(symbol, 2)) { \
    return PerThread<&symbol>::Call(p0, p1, p2);                                                \
  }
#define EMU_EXPORT_4(name, symbol)                                                            \
  CUresult name(EMU_PARAMETER(symbol, 0), EMU_PARAMETER(symbol, 1), EMU_PARAMETER(symbol, 2), \
                EMU_PARAMETER(symbol, 3)) {                                                   \
    return PerThread<&symbol>::Call(p0, p1, p2, p3);                                          \
  }
#define EMU_EXPORT_5(name, symbol)                                                            \
  CUresult name(EMU_PARAMETER(symbol, 0), EMU_PARAMETER(symbol, 1), EMU_PARAMETER(symbol, 2), \
                EMU_PARAMETER(symbol, 3), EMU_PARAMETER(symbol, 4)) {                         \
    return PerThread<&symbol>::Call(p0, p1, p2, p3, p4);                                      \
  }
#define EMU_EXPORT_6(name, symbol)                                                              \
  CUresult name(EMU_PARAMETER(symbol, 0), EMU_PARAMETER(symbol, 1), EMU_PARAMETER(symbol, 2),   \
                EMU_PARAMETER(symbol, 3), EMU_PARAMETER(symbol, 4), EMU_PARAMETER(symbol, 5)) { \
    return PerThread<&symbol>::Call(p0, p1, p2, p3, p4, p5);                                    \
  }
#define EMU_EXPORT_7(name, symbol)                                                            \
  CUresult name(EMU_PARAMETER(symbol, 0), EMU_PARAMETER(symbol, 1), EMU_PARAMETER(symbol, 2), \
                EMU_PARAMETER(symbol, 3), EMU_PARAMETER(symbol, 4), EMU_PARAMETER(symbol, 5), \
                EMU_PARAMETER(symbol, 6)) {                                                   \
    return PerThread<&symbol>::Call(p0, p1, p2, p3, p4, p5, p6);                              \
  }
#define EMU_EXPORT_10(name, symbol)                                                           \
  CUresult name(EMU_PARAMETER(symbol, 0), EMU_PARAMETER(symbol, 1), EMU_PARAMETER(symbol, 2), \
                EMU_PARAMETER(symbol, 3), EMU_PARAMETER(symbol, 4), EMU_PARAMETER(symbol, 5), \
                EMU_PARAMETER(symbol, 6), EMU_PARAMETER(symbol, 7), EMU_PARAMETER(symbol, 8), \
                EMU_PARAMETER(symbol, 9)) {                                                   \
    return PerThread<&symbol>::Call(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9);                  \
  }
#define EMU_EXPORT_11(name, symbol)                                                           \
  CUresult name(EMU_PARAMETER(symbol, 0), EMU_PARAMETER(symbol, 1), EMU_PARAMETER(symbol, 2), \
                EMU_PARAMETER(symbol, 3), EMU_PARAMETER(symbol, 4), EMU_PARAMETER(symbol, 5), \
                EMU_PARAMETER(symbol, 6), EMU_PARAMETER(symbol, 7), EMU_PARAMETER(symbol, 8), \
                EMU_PARAMETER(symbol, 9), EMU_PARAMETER(symbol, 10)) {                        \
    return PerThread<&symbol>::Call(p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10);             \
  }

#define EMU_FUNCTION(name, version, symbol)
#define EMU_STREAM_FUNCTION(name, version, symbol, suffix, count) EMU_EXPORT_##count(symbol##suffix, symbol)
#include "tools/emulator/driver/functions.inc"
