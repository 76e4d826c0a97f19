// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/benchmarks/test_sequence.h"

#include <QFile>
#include <QRegularExpression>
#include <algorithm>
#include <optional>

namespace tutti::bench {
namespace {

constexpr int mostClasses = 32;

struct Variable {
  const char* name;
  int SequenceTest::*place;
  int least;
  int most;
};
const std::vector<Variable>& variables() {
  static const std::vector<Variable> all{
      {"pairs", &SequenceTest::pairs, 1, mostClasses},
      {"types", &SequenceTest::types, 1, mostClasses},
      {"instances", &SequenceTest::instances, 1, 100'000},
      {"attributes", &SequenceTest::attributes, 1, 32},
      // A message carries its number and the time of sending.
      {"buffer", &SequenceTest::buffer, 16, 64 * 1024 * 1024},
      {"sample-size", &SequenceTest::sampleSize, 2, 100'000'000},
      {"samples", &SequenceTest::samples, 1, 100'000},
      {"data-threshold", &SequenceTest::dataThreshold, 1, 1'000'000},
      {"update-threshold", &SequenceTest::updateThreshold, 1, 1'000'000},
  };
  return all;
}

const QStringList& testNames() {
  static const QStringList names{QStringLiteral("OWOT"), QStringLiteral("OWIT"),
                                 QStringLiteral("RTOL"), QStringLiteral("RTIL")};
  return names;
}
constexpr Kind testKinds[] = {Kind::RtibmOwot, Kind::RtibmOwit, Kind::RtibmRtol, Kind::RtibmRtil};

/// The variables that hold at a place; each may have several values.
struct Block {
  std::vector<std::vector<int>> values;  ///< as `variables()`
  Transport transport = Transport::Reliable;
  int hosts = 1;
  int bundling = 0;
};

class Parser {
 public:
  explicit Parser(const QString& fileName) : fileName_(fileName) {
    const SequenceTest usual;
    for (const Variable& each : variables()) all_.values.push_back({usual.*each.place});
  }

  tl::expected<TestSequence, QString> parse(const QString& text) {
    const QStringList lines = text.split(u'\n');
    for (const QString& each : lines) {
      ++line_;
      const QString content = each.section(u'#', 0, 0).trimmed();
      if (!content.isEmpty()) readLine(content);
      if (!problem_.isEmpty()) return tl::unexpected(problem_);
    }
    closeTest();
    closeFederation();
    if (problem_.isEmpty() && sequence_.federations.empty()) {
      fail(QStringLiteral("there is no test"),
           QStringLiteral("Write \"federation NAME\" and below it \"test OWOT\""));
    }
    if (!problem_.isEmpty()) return tl::unexpected(problem_);
    return sequence_;
  }

 private:
  void fail(const QString& what, const QString& next) {
    if (!problem_.isEmpty()) return;
    problem_ = QStringLiteral("%1:%2: %3. %4.").arg(fileName_).arg(line_).arg(what, next);
  }

  void readLine(const QString& content) {
    if (content.contains(u'=')) {
      setVariable(content.section(u'=', 0, 0).trimmed(), content.section(u'=', 1).trimmed());
      return;
    }
    const QString word = content.section(u' ', 0, 0);
    const QString rest = content.section(u' ', 1).trimmed();
    if (word == QStringLiteral("federation")) {
      openFederation(rest);
    } else if (word == QStringLiteral("test")) {
      openTest(rest);
    } else {
      fail(QStringLiteral("\"%1\" is not understood").arg(content),
           QStringLiteral("A line is \"federation NAME\", \"test %1\" or \"VARIABLE = VALUE\"")
               .arg(testNames().join(u'|')));
    }
  }

  void openFederation(const QString& name) {
    closeTest();
    closeFederation();
    if (name.isEmpty()) {
      fail(QStringLiteral("this federation has no name"),
           QStringLiteral("Write \"federation NAME\""));
    }
    const bool taken =
        std::any_of(sequence_.federations.begin(), sequence_.federations.end(),
                    [&](const SequenceFederation& each) { return each.name == name; });
    if (taken) {
      fail(QStringLiteral("there is a federation \"%1\" already").arg(name),
           QStringLiteral("Give each a name of its own"));
    }
    inFederation_ = all_;
    federation_ = SequenceFederation{name, {}};
    federationLine_ = line_;
  }

  void openTest(const QString& name) {
    closeTest();
    if (!federation_) {
      fail(QStringLiteral("a test before the first federation"),
           QStringLiteral("Write \"federation NAME\" above it"));
      return;
    }
    const qsizetype index = testNames().indexOf(name);
    if (index < 0) {
      fail(QStringLiteral("there is no test \"%1\"").arg(name),
           QStringLiteral("There are %1").arg(testNames().join(QStringLiteral(", "))));
      return;
    }
    inTest_ = inFederation_;
    kind_ = testKinds[index];
    testLine_ = line_;
  }

  /// One test of each combination of the values.
  void closeTest() {
    if (!inTest_) return;
    SequenceTest test;
    test.kind = *kind_;
    test.transport = inTest_->transport;
    test.hosts = inTest_->hosts;
    test.bundling = inTest_->bundling;
    expand(test, 0);
    inTest_.reset();
  }

  void expand(SequenceTest& test, std::size_t variable) {
    if (variable == variables().size()) {
      if (test.pairs * test.types > mostClasses) {
        line_ = testLine_;
        fail(QStringLiteral("%1 pairs of %2 types need %3 classes, and there are %4")
                 .arg(test.pairs)
                 .arg(test.types)
                 .arg(test.pairs * test.types)
                 .arg(mostClasses),
             QStringLiteral("Take fewer pairs or types"));
      }
      federation_->tests.push_back(test);
      return;
    }
    for (const int value : inTest_->values[variable]) {
      test.*variables()[variable].place = value;
      expand(test, variable + 1);
    }
  }

  void closeFederation() {
    if (!federation_) return;
    if (federation_->tests.empty()) {
      line_ = federationLine_;
      fail(QStringLiteral("the federation \"%1\" has no test").arg(federation_->name),
           QStringLiteral("Write \"test OWOT\" below it"));
    }
    sequence_.federations.push_back(*federation_);
    federation_.reset();
  }

  void setVariable(const QString& name, const QString& value) {
    Block& block = inTest_ ? *inTest_ : federation_ ? inFederation_ : all_;
    if (name == QStringLiteral("transport")) {
      const auto transport = transportOf(value);
      if (!transport) {
        fail(QStringLiteral("there is no transport \"%1\"").arg(value),
             QStringLiteral("There are reliable and best-effort"));
      } else if (inTest_ && *transport != inFederation_.transport) {
        fail(QStringLiteral("a test cannot have another transport than its federation"),
             QStringLiteral("Write it in a federation of its own"));
      } else {
        block.transport = *transport;
      }
      return;
    }
    if (name == QStringLiteral("bundling")) {
      return setForFederation(
          name, value, QStringLiteral("off"), 0, 1'000'000, &Block::bundling,
          QStringLiteral("Write off, or the microseconds that best effort between hosts may wait"));
    }
    if (name == QStringLiteral("hosts")) {
      return setForFederation(
          name, value, QStringLiteral("local"), 1, 16, &Block::hosts,
          QStringLiteral("Write local, or a number of linked nodes of this machine up to 16"));
    }
    if (name == QStringLiteral("mode-tolerance")) {
      bool good = false;
      const double percent = value.toDouble(&good);
      if (!good || percent < 0 || percent > 100) {
        fail(QStringLiteral("mode-tolerance cannot be \"%1\"").arg(value),
             QStringLiteral("Write a percentage of 0 to 100"));
      }
      sequence_.modeTolerance = percent / 100;
      return;
    }
    const auto found = std::find_if(variables().begin(), variables().end(), [&](const auto& each) {
      return name == QLatin1String(each.name);
    });
    if (found == variables().end()) {
      QStringList names;
      for (const Variable& each : variables()) names << QString::fromLatin1(each.name);
      names << QStringLiteral("transport") << QStringLiteral("bundling") << QStringLiteral("hosts")
            << QStringLiteral("mode-tolerance");
      fail(QStringLiteral("there is no variable \"%1\"").arg(name),
           QStringLiteral("There are %1").arg(names.join(QStringLiteral(", "))));
      return;
    }
    std::vector<int>& values = block.values[static_cast<std::size_t>(found - variables().begin())];
    values.clear();
    const QStringList parts = value.split(u',');
    for (const QString& part : parts) {
      bool good = false;
      const int number = part.trimmed().toInt(&good);
      if (!good || number < found->least || number > found->most) {
        fail(QStringLiteral("%1 cannot be \"%2\"").arg(name, part.trimmed()),
             QStringLiteral("Write a number of %1 to %2").arg(found->least).arg(found->most));
        return;
      }
      values.push_back(number);
    }
  }

  /// A word for `least`, or a number up to `most`.
  void setForFederation(const QString& name, const QString& value, const QString& word, int least,
                        int most, int Block::*place, const QString& next) {
    bool good = true;
    const int number = value == word ? least : value.toInt(&good);
    if (!good || number < least || number > most) {
      fail(QStringLiteral("%1 cannot be \"%2\"").arg(name, value), next);
    } else if (inTest_ && number != inFederation_.*place) {
      fail(QStringLiteral("a test cannot have other %1 than its federation").arg(name),
           QStringLiteral("Write it in a federation of its own"));
    } else {
      (inTest_ ? *inTest_ : federation_ ? inFederation_ : all_).*place = number;
    }
  }

  QString fileName_;
  QString problem_;
  int line_ = 0;
  int federationLine_ = 0;
  int testLine_ = 0;
  TestSequence sequence_;
  std::optional<SequenceFederation> federation_;
  Block all_;
  Block inFederation_;
  std::optional<Block> inTest_;
  std::optional<Kind> kind_;
};

}  // namespace

int SequenceFederation::pairs() const {
  int most = 0;
  for (const SequenceTest& each : tests) most = std::max(most, each.pairs);
  return most;
}

tl::expected<TestSequence, QString> parseSequence(const QString& text, const QString& fileName) {
  return Parser(fileName).parse(text);
}

tl::expected<TestSequence, QString> readSequence(const QString& fileName) {
  QFile file(fileName);
  if (!file.open(QIODevice::ReadOnly)) {
    return tl::unexpected(QStringLiteral("%1 cannot be read: %2. Name a test-sequence file with "
                                         "--sequence.")
                              .arg(fileName, file.errorString()));
  }
  return parseSequence(QString::fromUtf8(file.readAll()), fileName);
}

QString describe(const SequenceTest& test, int id) {
  const auto kind = std::find(std::begin(testKinds), std::end(testKinds), test.kind);
  QStringList words{QStringLiteral("id=%1").arg(id),
                    QStringLiteral("test=") + testNames()[kind - std::begin(testKinds)],
                    QStringLiteral("transport=") + transportName(test.transport)};
  for (const Variable& each : variables()) {
    words << QStringLiteral("%1=%2").arg(QString::fromLatin1(each.name)).arg(test.*each.place);
  }
  return words.join(u' ');
}

}  // namespace tutti::bench
