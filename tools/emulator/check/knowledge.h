// What a thread, an asynchronous operation or a point of synchronisation knows.
#pragma once

#include "tools/emulator/check/clock.h"

namespace emu {

struct Knowledge {
  ClockRef known;   // what has happened before
  ClockRef fenced;  // the part of it that a proxy fence has made visible to the async proxy
  ClockRef inits;   // the initialisations of mbarriers that fence.mbarrier_init has published

  bool empty() const { return !known && !fenced && !inits; }
  bool operator==(const Knowledge& other) const = default;
  void Join(const Knowledge& other) {
    known.Join(other.known);
    fenced.Join(other.fenced);
    inits.Join(other.inits);
  }
};

}  // namespace emu
