// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTemporaryDir>
#include <QtTest>
#include <functional>

#include "recorder.h"

/// A Recorder for the conformance tests: their object model, and what many of them do.
///
/// The environment variable TUTTI_TEST_LIMIT replaces the time limit of expect(), in milliseconds.
class Member : public Recorder {
 public:
  using Recorder::Recorder;

  /// Makes the execution unless it exists, with the object model of these tests, and joins it.
  void enter(const QString& federation, rti1516e::CallbackModel model = rti1516e::HLA_EVOKED,
             const QString& timeImplementation = {}, const QString& objectModel = {});
  void enterInteger(const QString& federation) {
    enter(federation, rti1516e::HLA_EVOKED, "HLAinteger64Time");
  }

  bool expect(const QString& prefix, int count = 1);
  bool pumpUntil(const std::function<bool()>& done);
  /// Delivers what is there and gives all lines that were not taken yet.
  QStringList take();

  rti1516e::ObjectInstanceHandle registerNamed(const QString& objectClass, const QString& name);
  QString nameOfInstance(rti1516e::ObjectInstanceHandle instance);
  double logicalTime();
  /// "5", "5+" is not told apart; "none" when there is none.
  QString galt();
  QString lits();
  void regulate(double lookahead);
  void constrain();
  /// Requests and waits for the grant.
  void advance(double time);

 private:
  int taken_ = 0;
};

/// The name of the exception that `call` throws, without its namespace; empty: it throws none.
/// An exception that explains nothing is told by " (unexplained)".
QString refusal(const std::function<void()>& call);

/// `expression` throws exactly this exception of the standard.
#define REFUSES(expression, Exception) \
  QCOMPARE(refusal([&] { expression; }), QStringLiteral(#Exception))
/// `expression` throws nothing.
#define ACCEPTS(expression) QCOMPARE(refusal([&] { expression; }), QString())
/// The condition becomes true while the federate's callbacks are delivered.
#define AWAIT(member, condition) QVERIFY((member).pumpUntil([&] { return (condition); }))

rti1516e::VariableLengthData data(const QByteArray& octets);
std::wstring wide(const QString& text);
QString narrow(const std::wstring& text);

/// Paths of object models of these tests.
QString modulePath(const QString& file);
/// The object model of these tests with other switches, as a file that lives as long as the
/// program: {{"autoProvide", true}}.
QString objectModelWith(const QList<QPair<QString, bool>>& switches);
/// A file with this content, that lives as long as the program.
QString fileWith(const QString& name, const QByteArray& content);

/// A federate that shall die: it is joined, and gone without a word with kill().
class Mortal {
 public:
  Mortal(const QString& name, const QString& federation);
  ~Mortal();
  rti1516e::RTIambassador& rti() { return *rti_; }
  rti1516e::FederateHandle handle() const { return handle_; }
  void kill() { rti_.reset(); }

 private:
  rti1516e::NullFederateAmbassador callbacks_;
  std::unique_ptr<rti1516e::RTIambassador> rti_;
  rti1516e::FederateHandle handle_;
};

/// The main function of a conformance test: what a test throws unwinds, so that the node ends.
#define CONFORMANCE_MAIN(Test)                                                        \
  int main(int argc, char** argv) {                                                   \
    QCoreApplication application(argc, argv);                                         \
    Test test;                                                                        \
    try {                                                                             \
      return QTest::qExec(&test, argc, argv);                                         \
    } catch (const rti1516e::Exception& exception) {                                  \
      std::fprintf(stderr, "not caught: %s\n", qPrintable(narrow(exception.what()))); \
      return 1;                                                                       \
    }                                                                                 \
  }
