// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "owner.h"

/// `a` has registered a car of which it owns position and fuel; `b` and `c` know it, and publish
/// the same.
struct Trio {
  explicit Trio(const QString& federation) {
    for (Owner* m : {&a, &b, &c}) {
      m->enter(federation);
      m->publish("Vehicle", {"position", "fuel"});
      m->subscribe("Vehicle", {"position", "fuel"});
    }
    car = a.registerNamed("Vehicle", "car");
    a.take();
    b.take();
    c.take();
  }
  Owner a{"a"}, b{"b"}, c{"c"};
  rti1516e::ObjectInstanceHandle car;
};
