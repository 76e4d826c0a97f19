// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <optional>
#include <tl/expected.hpp>

namespace tutti::composer {

/// Value of a name in a formula, nothing when the name has none.
using FormulaLookup = std::function<std::optional<double>(const QString& name)>;

/// Evaluates an arithmetic formula of a manifest, such as `flights / step`: numbers, names, + - *
/// /, signs, parentheses, min(a, b) and max(a, b). The error is one sentence naming the formula and
/// the position. A division by zero or a result that is not finite is an error.
tl::expected<double, QString> evaluateFormula(const QString& formula, const FormulaLookup& lookup);

/// The names a formula uses, in order, each once; empty when the formula is malformed.
QStringList formulaNames(const QString& formula);

}  // namespace tutti::composer
