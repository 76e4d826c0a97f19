// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/options.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace tutti::bench {
namespace {

/// Reads the text of an option into its setting; false for one it cannot read.
using Take = std::function<bool(const QString&)>;

template <class Number>
Take number(Number& value) {
  return [&value](const QString& text) {
    bool good = false;
    if constexpr (std::is_floating_point_v<Number>) {
      value = text.toDouble(&good);
    } else if constexpr (std::is_signed_v<Number>) {
      value = text.toInt(&good);
    } else {
      value = text.toULongLong(&good);
    }
    return good;
  };
}

Take word(QString& value) {
  return [&value](const QString& text) {
    value = text;
    return !text.isEmpty();
  };
}

/// "a,b,c": `one` gives nothing for a part it cannot read.
template <class Value, class One>
Take list(std::vector<Value>& values, One one) {
  return [&values, one](const QString& text) {
    values.clear();
    const QStringList parts = text.split(u',');
    for (const QString& part : parts) {
      const std::optional<Value> value = one(part.trimmed());
      if (!value) return false;
      values.push_back(*value);
    }
    return true;
  };
}

std::optional<double> realOf(const QString& text) {
  bool good = false;
  const double value = text.toDouble(&good);
  return good ? std::optional(value) : std::nullopt;
}

std::optional<int> integerOf(const QString& text) {
  bool good = false;
  const int value = text.toInt(&good);
  return good ? std::optional(value) : std::nullopt;
}

/// "128", "4k", "1M": powers of two.
std::optional<int> sizeOf(QString text) {
  int factor = 1;
  if (text.endsWith(u'k', Qt::CaseInsensitive)) factor = 1024;
  if (text.endsWith(u'm', Qt::CaseInsensitive)) factor = 1024 * 1024;
  if (factor > 1) text.chop(1);
  const std::optional<int> value = integerOf(text);
  if (!value || *value < 1 || *value > 64 * 1024 * 1024 / factor) return std::nullopt;
  return *value * factor;
}

struct Option {
  const char* name;
  Take take;
};

std::vector<Option> optionsOf(Settings& settings) {
  return {
      {"--size", list(settings.sizes, sizeOf)},
      {"--transport", list(settings.transports, transportOf)},
      {"--lookahead", list(settings.lookaheads, realOf)},
      {"--step", number(settings.step)},
      {"--count", number(settings.count)},
      {"--cycles", number(settings.cycles)},
      {"--warm-up", number(settings.warmUp)},
      {"--repeats", number(settings.repeats)},
      {"--seed", number(settings.seed)},
      {"--ack", number(settings.ack)},
      {"--pairs", number(settings.pairs)},
      {"--receivers", number(settings.receivers)},
      {"--burst", number(settings.burst)},
      {"--crowds", number(settings.crowds)},
      {"--instances", list(settings.instances, integerOf)},
      {"--federates", list(settings.federates, integerOf)},
      {"--pin",
       [&settings](const QString& text) {
         const auto pinning = pinningOf(text);
         if (pinning) settings.pinning = *pinning;
         return pinning.has_value();
       }},
      {"--sequence", word(settings.sequence)},
      {"--architecture",
       list(settings.architectures, [](const QString& each) { return std::optional(each); })},
      {"--hosts", list(settings.hosts, integerOf)},
      {"--rti", word(settings.designator)},
      {"--tools", word(settings.tools)},
  };
}

bool takeFlag(const QString& word, Settings& settings) {
  if (word == QStringLiteral("--wait")) {
    settings.wait = true;
  } else if (word == QStringLiteral("--poll")) {
    settings.wait = false;
  } else if (word == QStringLiteral("--fresh")) {
    settings.fresh = true;
  } else {
    return false;
  }
  return true;
}

}  // namespace

QString takeSettings(QStringList& words, Settings& settings) {
  const std::vector<Option> options = optionsOf(settings);
  QStringList others;
  QString problem;
  for (qsizetype i = 0; i < words.size(); ++i) {
    if (takeFlag(words[i], settings)) continue;
    const qsizetype equals = words[i].indexOf(u'=');
    const QString name = equals < 0 ? words[i] : words[i].left(equals);
    const auto option = std::find_if(options.begin(), options.end(), [&](const Option& each) {
      return name == QLatin1String(each.name);
    });
    if (option == options.end()) {
      others << words[i];
      continue;
    }
    const QString text = equals < 0 ? words.value(++i) : words[i].mid(equals + 1);
    if (!option->take(text) && problem.isEmpty()) {
      problem = text.isEmpty() ? QStringLiteral("%1 has no value").arg(name)
                               : QStringLiteral("%1 cannot be \"%2\"").arg(name, text);
    }
  }
  words = std::exchange(others, {});
  return problem;
}

}  // namespace tutti::bench
