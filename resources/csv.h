// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace tutti {

/// The text as one field of comma-separated values (RFC 4180): quoted where it has to be.
inline QString csvField(QString text) {
  if (!text.contains(u',') && !text.contains(u'"') && !text.contains(u'\n') &&
      !text.contains(u'\r'))
    return text;
  return u'"' + text.replace(u'"', QStringLiteral("\"\"")) + u'"';
}

}  // namespace tutti
