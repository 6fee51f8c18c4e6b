// What a thread, an asynchronous operation or a point of synchronisation knows.
#pragma once

#include "tools/emulator/check/clock.h"

namespace emu {

struct Knowledge {
  ClockRef known;      // what has happened before
  ClockRef fenced;     // the part of it that a proxy fence has made visible to the async proxy
  ClockRef performed;  // what has happened, but whose memory effects need not be visible: relaxed arrivals

  bool empty() const { return !known && !fenced && !performed; }
  bool operator==(const Knowledge& other) const = default;
  void Join(const Knowledge& other) {
    known.Join(other.known);
    fenced.Join(other.fenced);
    performed.Join(other.performed);
  }
};

}  // namespace emu
