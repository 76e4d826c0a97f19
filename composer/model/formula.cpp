// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/model/formula.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

namespace tutti::composer {

namespace {

/// Recursive descent with a fault that sticks, so that each rule reads like the grammar.
class Parser {
 public:
  Parser(const QString& formula, const FormulaLookup& lookup) : text_{formula}, lookup_{lookup} {}

  tl::expected<double, QString> run() {
    const double result = sum();
    skipBlanks();
    if (fault_.isEmpty() && at_ < text_.size())
      fail(QStringLiteral("unexpected \"%1\"").arg(text_[at_]));
    if (fault_.isEmpty() && !std::isfinite(result))
      fail(QStringLiteral("the result is not finite"));
    if (!fault_.isEmpty()) {
      return tl::unexpected(QStringLiteral("The formula \"%1\" has no value: %2 at position %3.")
                                .arg(text_, fault_)
                                .arg(faultAt_ + 1));
    }
    return result;
  }

 private:
  void fail(const QString& what) {
    if (!fault_.isEmpty()) return;
    fault_ = what;
    faultAt_ = at_;
    at_ = text_.size();
  }
  void skipBlanks() {
    while (at_ < text_.size() && text_[at_].isSpace()) ++at_;
  }
  bool take(char16_t c) {
    skipBlanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  double sum() {
    double value = product();
    for (;;) {
      if (take(u'+')) {
        value += product();
      } else if (take(u'-')) {
        value -= product();
      } else {
        return value;
      }
    }
  }
  double product() {
    double value = factor();
    for (;;) {
      if (take(u'*')) {
        value *= factor();
      } else if (take(u'/')) {
        const double divisor = factor();
        if (divisor == 0.0) fail(QStringLiteral("division by zero"));
        value /= divisor;
      } else {
        return value;
      }
    }
  }
  double factor() {
    if (++depth_ > 100) {
      fail(QStringLiteral("too many parentheses"));
      return 0.0;
    }
    const double value = unnestedFactor();
    --depth_;
    return value;
  }
  double unnestedFactor() {
    if (take(u'-')) return -factor();
    if (take(u'+')) return factor();
    if (take(u'(')) {
      const double value = sum();
      if (!take(u')')) fail(QStringLiteral("\")\" is missing"));
      return value;
    }
    skipBlanks();
    if (at_ < text_.size() && (text_[at_].isDigit() || text_[at_] == u'.')) return number();
    return name();
  }
  double number() {
    const qsizetype begin = at_;
    while (at_ < text_.size() &&
           (text_[at_].isLetterOrNumber() || text_[at_] == u'.' ||
            ((text_[at_] == u'-' || text_[at_] == u'+') && text_[at_ - 1].toLower() == u'e'))) {
      ++at_;
    }
    bool ok = false;
    const double value = text_.mid(begin, at_ - begin).toDouble(&ok);
    if (!ok) {
      at_ = begin;
      fail(QStringLiteral("a number is malformed"));
    }
    return value;
  }
  double name() {
    const qsizetype begin = at_;
    while (at_ < text_.size() && (text_[at_].isLetterOrNumber() || text_[at_] == u'_')) ++at_;
    const QString word = text_.mid(begin, at_ - begin);
    if (word.isEmpty()) {
      fail(QStringLiteral("a number or a name is missing"));
      return 0.0;
    }
    if ((word == QStringLiteral("min") || word == QStringLiteral("max")) && take(u'(')) {
      const double first = sum();
      if (!take(u',')) fail(QStringLiteral("%1 needs two values").arg(word));
      const double second = sum();
      if (!take(u')')) fail(QStringLiteral("\")\" is missing"));
      return word == QStringLiteral("min") ? std::min(first, second) : std::max(first, second);
    }
    const auto value = lookup_(word);
    if (!value) {
      at_ = begin;
      fail(QStringLiteral("\"%1\" has no numeric value").arg(word));
      return 0.0;
    }
    return *value;
  }

  const QString& text_;
  const FormulaLookup& lookup_;
  qsizetype at_ = 0;
  int depth_ = 0;
  QString fault_;
  qsizetype faultAt_ = 0;
};

}  // namespace

tl::expected<double, QString> evaluateFormula(const QString& formula, const FormulaLookup& lookup) {
  return Parser{formula, lookup}.run();
}

QStringList formulaNames(const QString& formula) {
  QStringList names;
  // An irrational value makes an accidental division by zero practically impossible.
  const FormulaLookup collect = [&](const QString& name) -> std::optional<double> {
    if (!names.contains(name)) names.append(name);
    return 1.0 + 0.1357911131719 * static_cast<double>(names.indexOf(name));
  };
  if (!Parser{formula, collect}.run()) return {};
  return names;
}

}  // namespace tutti::composer
