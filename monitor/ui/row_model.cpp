// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/row_model.h"

#include <cmath>

namespace tutti::monitor {

void copyHistory(const History& from, theme::SparkBuffer& to) {
  to.clear();
  bool begun = false;
  for (std::size_t i = 0; i < History::size; ++i) {
    const float value = from.at(i);
    begun = begun || !std::isnan(value);
    if (begun) to.push(static_cast<double>(value));
  }
}

}  // namespace tutti::monitor
