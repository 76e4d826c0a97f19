// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/codegen/federate_source.h"

#include <algorithm>

#include "fom-editor/codegen/data_type_source.h"
#include "fom-editor/codegen/identifiers.h"
#include "fom-editor/codegen/source_text.h"
#include "fom-editor/model/item.h"

namespace tutti::fomedit {

namespace {

QString memberType(const ComponentPlan& plan, const PlannedMember& m) {
  if (!m.problem.isEmpty()) return QStringLiteral("Octets");
  return QStringLiteral("types::") + plan.dataTypes->find(m.dataType)->identifier;
}

QString flag(bool value) { return value ? QStringLiteral("true") : QStringLiteral("false"); }

class FederateSource {
 public:
  explicit FederateSource(const ComponentPlan& plan) : plan_(plan) {}

  QString header() {
    text_ = QStringLiteral(
                "// %1\n// What %2 sends, and what it receives.\n#pragma once\n\n"
                "#include <array>\n#include <map>\n#include <optional>\n#include <string>\n\n"
                "#include \"datatypes.h\"\n#include \"member.h\"\n\nnamespace %3 {\n\n")
                .arg(generatedStamp(), plan_.id, plan_.nameSpace());
    for (const PlannedClass& c : plan_.classes) values(c);
    text_ += QStringLiteral(
                 "class FederateBase : public Member {\n public:\n"
                 "  explicit FederateBase(const Options& options) : Member(options, %1, %2) {}\n\n"
                 " protected:\n")
                 .arg(flag(plan_.time.regulating), flag(plan_.time.constrained));
    for (const PlannedClass& c : plan_.classes) services(c);
    text_ += QStringLiteral(" private:\n  void declare() override;\n");
    if (receivesObjects()) {
      text_ += QStringLiteral(
          "  void discovered(Instance instance, rti1516e::ObjectClassHandle objectClass,\n"
          "                  const std::wstring& name) override;\n"
          "  void reflected(Instance instance, const rti1516e::AttributeHandleValueMap& values,\n"
          "                 const Received& how) override;\n"
          "  void removed(Instance instance) override;\n");
    }
    if (receivesInteractions()) {
      text_ += QStringLiteral(
          "  void received(rti1516e::InteractionClassHandle interaction,\n"
          "                const rti1516e::ParameterHandleValueMap& values, const Received& how) "
          "override;\n");
    }
    text_ += u'\n';
    for (const PlannedClass& c : plan_.classes) {
      text_ += QStringLiteral("  rti1516e::%1ClassHandle class%2_;\n")
                   .arg(c.isObject ? QStringLiteral("Object") : QStringLiteral("Interaction"),
                        capitalized(c.identifier));
      if (c.members.isEmpty()) continue;
      text_ += QStringLiteral("  std::array<rti1516e::%1Handle, %2> members%3_;\n")
                   .arg(c.isObject ? QStringLiteral("Attribute") : QStringLiteral("Parameter"))
                   .arg(c.members.size())
                   .arg(capitalized(c.identifier));
    }
    if (receivesObjects()) {
      text_ += QStringLiteral(
          "  std::map<Instance, rti1516e::ObjectClassHandle> known_;  ///< discovered instances\n");
    }
    text_ += QStringLiteral("};\n\n}  // namespace %1\n").arg(plan_.nameSpace());
    return text_;
  }

  QString source() {
    text_ =
        QStringLiteral(
            "// %1\n#include \"federate.h\"\n\nnamespace %2 {\n\n"
            "namespace {\n\n"
            "[[maybe_unused]] rti1516e::VariableLengthData dataOf(const Octets& octets) {\n"
            "  return {octets.data(), octets.size()};\n}\n\n"
            "[[maybe_unused]] Octets octetsOf(const rti1516e::VariableLengthData& data) {\n"
            "  const auto* octets = static_cast<const std::uint8_t*>(data.data());\n"
            "  return data.size() == 0 ? Octets() : Octets(octets, octets + data.size());\n}\n\n"
            "}  // namespace\n\n")
            .arg(generatedStamp(), plan_.nameSpace());
    declare();
    for (const PlannedClass& c : plan_.classes) {
      if (c.published) sends(c);
    }
    if (receivesObjects()) receiveObjects();
    if (receivesInteractions()) receiveInteractions();
    text_ += QStringLiteral("}  // namespace %1\n").arg(plan_.nameSpace());
    return text_;
  }

 private:
  bool receivesObjects() const {
    return std::any_of(plan_.classes.begin(), plan_.classes.end(),
                       [](const PlannedClass& c) { return c.isObject && c.subscribed; });
  }
  bool receivesInteractions() const {
    return std::any_of(plan_.classes.begin(), plan_.classes.end(),
                       [](const PlannedClass& c) { return !c.isObject && c.subscribed; });
  }

  /// A class's struct, where parameters and members of the base class may have the same name.
  QString qualified(const PlannedClass& c) const {
    return plan_.nameSpace() + QStringLiteral("::") + c.identifier;
  }

  void values(const PlannedClass& c) {
    text_ += QStringLiteral("/// %1 class %2: what one %3 carries; the rest is empty.\n")
                 .arg(c.isObject ? QStringLiteral("Object") : QStringLiteral("Interaction"), c.name,
                      c.isObject ? QStringLiteral("update") : QStringLiteral("interaction"));
    text_ += commentOf(c.semantics, QString());
    text_ += QStringLiteral("struct %1 {\n").arg(c.identifier);
    for (const PlannedMember& m : c.members) {
      text_ += commentOf(m.semantics, QStringLiteral("  "));
      if (!m.problem.isEmpty())
        text_ +=
            commentOf(QStringLiteral("Octets as they are. ") + m.problem, QStringLiteral("  "));
      text_ += QStringLiteral("  std::optional<%1> %2;\n").arg(memberType(plan_, m), m.identifier);
    }
    text_ += QStringLiteral("};\n\n");
  }

  void services(const PlannedClass& c) {
    const QString name = capitalized(c.identifier);
    text_ += commentOf(c.name, QStringLiteral("  "));
    if (c.published && c.isObject) {
      text_ += QStringLiteral(
                   "  Instance register%1(const std::wstring& name = {}) {\n"
                   "    return registerInstance(class%1_, name);\n  }\n"
                   "  /// Sends what `values` has.\n"
                   "  void update%1(Instance instance, const %2& values);\n")
                   .arg(name, qualified(c));
    } else if (c.published) {
      text_ += QStringLiteral("  void send%1(const %2& values);\n").arg(name, qualified(c));
    }
    if (c.subscribed && c.isObject) {
      text_ += QStringLiteral(
                   "  virtual void discovered%1(Instance, const std::wstring&) {}\n"
                   "  virtual void reflected%1(Instance, const %2&, const Received&) {}\n"
                   "  virtual void removed%1(Instance) {}\n")
                   .arg(name, qualified(c));
    } else if (c.subscribed) {
      text_ += QStringLiteral("  virtual void received%1(const %2&, const Received&) {}\n")
                   .arg(name, qualified(c));
    }
    text_ += u'\n';
  }

  void declare() {
    text_ += QStringLiteral("void FederateBase::declare() {\n");
    for (const PlannedClass& c : plan_.classes) {
      const QString name = capitalized(c.identifier);
      text_ += QStringLiteral("  class%1_ = rti().get%2ClassHandle(%3);\n")
                   .arg(name, c.isObject ? QStringLiteral("Object") : QStringLiteral("Interaction"),
                        wideLiteralOf(c.name));
      QStringList published, subscribed;
      for (qsizetype i = 0; i < c.members.size(); ++i) {
        const PlannedMember& m = c.members[i];
        const QString handle = QStringLiteral("members%1_[%2]").arg(name).arg(i);
        text_ +=
            QStringLiteral("  %1 = rti().get%2Handle(class%3_, %4);\n")
                .arg(handle, c.isObject ? QStringLiteral("Attribute") : QStringLiteral("Parameter"),
                     name, wideLiteralOf(m.name));
        if (m.published) published << handle;
        if (m.subscribed) subscribed << handle;
      }
      if (c.isObject) {
        if (c.published)
          text_ += QStringLiteral("  rti().publishObjectClassAttributes(class%1_, {%2});\n")
                       .arg(name, published.join(QStringLiteral(", ")));
        if (c.subscribed)
          text_ += QStringLiteral("  rti().subscribeObjectClassAttributes(class%1_, {%2});\n")
                       .arg(name, subscribed.join(QStringLiteral(", ")));
      } else {
        if (c.published)
          text_ += QStringLiteral("  rti().publishInteractionClass(class%1_);\n").arg(name);
        if (c.subscribed)
          text_ += QStringLiteral("  rti().subscribeInteractionClass(class%1_);\n").arg(name);
      }
    }
    text_ += QStringLiteral("}\n\n");
  }

  void sends(const PlannedClass& c) {
    const QString name = capitalized(c.identifier);
    text_ += c.isObject ? QStringLiteral(
                              "void FederateBase::update%1(Instance instance, const %2& values) {\n"
                              "  rti1516e::AttributeHandleValueMap sent;\n")
                              .arg(name, qualified(c))
                        : QStringLiteral(
                              "void FederateBase::send%1(const %2& values) {\n"
                              "  rti1516e::ParameterHandleValueMap sent;\n")
                              .arg(name, qualified(c));
    bool any = false;
    for (qsizetype i = 0; i < c.members.size(); ++i) {
      const PlannedMember& m = c.members[i];
      if (!m.published) continue;
      any = true;
      const QString value = QStringLiteral("*values.%1").arg(m.identifier);
      const QString octets =
          m.problem.isEmpty()
              ? QStringLiteral("codec::encode%1(%2)")
                    .arg(capitalized(plan_.dataTypes->find(m.dataType)->identifier), value)
              : value;
      text_ += QStringLiteral("  if (values.%1) sent[members%2_[%3]] = dataOf(%4);\n")
                   .arg(m.identifier, name)
                   .arg(i)
                   .arg(octets);
    }
    if (!any) text_ += QStringLiteral("  static_cast<void>(values);\n");
    text_ += c.isObject ? QStringLiteral("  update(instance, sent);\n}\n\n")
                        : QStringLiteral("  send(class%1_, sent);\n}\n\n").arg(name);
  }

  /// Takes the members of a class out of what arrived, into `is`.
  void take(const PlannedClass& c, const QString& indent) {
    text_ += indent + QStringLiteral("%1 is;\n").arg(qualified(c));
    for (qsizetype i = 0; i < c.members.size(); ++i) {
      const PlannedMember& m = c.members[i];
      if (!m.subscribed) continue;
      const QString found =
          QStringLiteral("values.find(members%1_[%2])").arg(capitalized(c.identifier)).arg(i);
      text_ +=
          indent + QStringLiteral("if (const auto at = %1; at != values.end()) {\n").arg(found);
      if (m.problem.isEmpty()) {
        text_ +=
            indent + QStringLiteral("  try {\n") + indent +
            QStringLiteral("    is.%1 = codec::decode%2(at->second.data(), at->second.size());\n")
                .arg(m.identifier, capitalized(plan_.dataTypes->find(m.dataType)->identifier)) +
            indent + QStringLiteral("  } catch (const EncodingError& error) {\n") + indent +
            QStringLiteral("    notUnderstood(%1, error.what());\n")
                .arg(literalOf(c.shortName() + u'.' + m.name)) +
            indent + QStringLiteral("  }\n");
      } else {
        text_ += indent + QStringLiteral("  is.%1 = octetsOf(at->second);\n").arg(m.identifier);
      }
      text_ += indent + QStringLiteral("}\n");
    }
  }

  void receiveObjects() {
    text_ += QStringLiteral(
        "void FederateBase::discovered(Instance instance, rti1516e::ObjectClassHandle "
        "objectClass,\n"
        "                              const std::wstring& name) {\n"
        "  known_[instance] = objectClass;\n");
    for (const PlannedClass& c : plan_.classes) {
      if (!c.isObject || !c.subscribed) continue;
      text_ += QStringLiteral("  if (objectClass == class%1_) discovered%1(instance, name);\n")
                   .arg(capitalized(c.identifier));
    }
    text_ += QStringLiteral(
        "}\n\n"
        "void FederateBase::reflected(Instance instance,\n"
        "                             const rti1516e::AttributeHandleValueMap& values,\n"
        "                             const Received& how) {\n"
        "  const auto known = known_.find(instance);\n"
        "  if (known == known_.end()) return;\n");
    for (const PlannedClass& c : plan_.classes) {
      if (!c.isObject || !c.subscribed) continue;
      text_ +=
          QStringLiteral("  if (known->second == class%1_) {\n").arg(capitalized(c.identifier));
      take(c, QStringLiteral("    "));
      text_ += QStringLiteral("    reflected%1(instance, is, how);\n    return;\n  }\n")
                   .arg(capitalized(c.identifier));
    }
    text_ += QStringLiteral(
        "}\n\nvoid FederateBase::removed(Instance instance) {\n"
        "  const auto known = known_.find(instance);\n"
        "  if (known == known_.end()) return;\n"
        "  const rti1516e::ObjectClassHandle objectClass = known->second;\n"
        "  known_.erase(known);\n");
    for (const PlannedClass& c : plan_.classes) {
      if (!c.isObject || !c.subscribed) continue;
      text_ += QStringLiteral("  if (objectClass == class%1_) removed%1(instance);\n")
                   .arg(capitalized(c.identifier));
    }
    text_ += QStringLiteral("}\n\n");
  }

  void receiveInteractions() {
    text_ += QStringLiteral(
        "void FederateBase::received(rti1516e::InteractionClassHandle interaction,\n"
        "                            [[maybe_unused]] const rti1516e::ParameterHandleValueMap& "
        "values,\n"
        "                            const Received& how) {\n");
    for (const PlannedClass& c : plan_.classes) {
      if (c.isObject || !c.subscribed) continue;
      text_ += QStringLiteral("  if (interaction == class%1_) {\n").arg(capitalized(c.identifier));
      take(c, QStringLiteral("    "));
      text_ += QStringLiteral("    received%1(is, how);\n    return;\n  }\n")
                   .arg(capitalized(c.identifier));
    }
    text_ += QStringLiteral("}\n\n");
  }

  const ComponentPlan& plan_;
  QString text_;
};

}  // namespace

QString federateHeader(const ComponentPlan& plan) { return FederateSource(plan).header(); }
QString federateSource(const ComponentPlan& plan) { return FederateSource(plan).source(); }

QString mainSource(const ComponentPlan& plan) {
  const QString space = plan.nameSpace();
  QStringList taken = namesBesideClasses();
  for (const PlannedClass& c : plan.classes) taken << c.identifier;
  const QString own = identifiersOf({camelCase(plan.id)}, Distinct::IgnoringCase, taken).front();
  QString text = QStringLiteral(
                     "// %1: what it simulates. This file is yours; `tutti component regenerate` "
                     "leaves it as it is once you have\n"
                     "// changed it, and writes generated/ only.\n"
                     "#include <iostream>\n\n#include \"generated/federate.h\"\n\nnamespace {\n\n"
                     "using namespace %2;\n\nclass %3 : public FederateBase {\n public:\n"
                     "  using FederateBase::FederateBase;\n\n private:\n")
                     .arg(plan.id, space, own);
  QString begin, step, members;
  for (const PlannedClass& c : plan.classes) {
    if (!c.published) continue;
    const QString name = capitalized(c.identifier);
    QString fill = QStringLiteral("    {\n      %1::%2 values;\n").arg(space, c.identifier);
    for (const PlannedMember& m : c.members) {
      if (!m.published) continue;
      const QString initial = m.problem.isEmpty()
                                  ? initialValue(*plan.dataTypes, *plan.dataTypes->find(m.dataType))
                                  : QString();
      fill += QStringLiteral("      values.%1.emplace(%2);\n").arg(m.identifier, initial);
    }
    if (c.isObject) {
      begin += QStringLiteral("    own%1_ = register%1();\n").arg(name);
      members += QStringLiteral("  Instance own%1_;\n").arg(name);
      step += fill + QStringLiteral("      update%1(own%1_, values);\n    }\n").arg(name);
    } else {
      step += fill + QStringLiteral("      send%1(values);\n    }\n").arg(name);
    }
  }
  if (!begin.isEmpty()) {
    text += QStringLiteral(
                "  /// Everything is declared, and the clock is about to run.\n"
                "  void begin() override {\n%1  }\n\n")
                .arg(begin);
  }
  if (!step.isEmpty()) {
    text += QStringLiteral(
                "  /// Every --step: put the values of your simulation here.\n"
                "  void step() override {\n%1  }\n\n")
                .arg(step);
  }
  for (const PlannedClass& c : plan.classes) {
    if (!c.subscribed) continue;
    const QString name = capitalized(c.identifier);
    if (!c.isObject) {
      text += QStringLiteral(
                  "  void received%1(const %2::%3&, const Received&) override {\n"
                  "    std::cout << %4 << std::endl;\n  }\n\n")
                  .arg(name, space, c.identifier,
                       literalOf(QStringLiteral("received ") + c.shortName()));
      continue;
    }
    text +=
        QStringLiteral(
            "  void discovered%1(Instance, const std::wstring& name) override {\n"
            "    std::cout << \"discovered \" << utf8(name) << std::endl;\n  }\n\n"
            "  void reflected%1(Instance, const %2::%3& values, const Received& how) override {\n"
            "    std::cout << %4;\n"
            "    if (how.hasTime) std::cout << \" of \" << how.time << \" s\";\n")
            .arg(name, space, c.identifier,
                 literalOf(QStringLiteral("reflected ") + c.shortName()));
    for (const PlannedMember& m : c.members) {
      if (!m.subscribed) continue;
      text += QStringLiteral("    if (values.%1) std::cout << %2;\n")
                  .arg(m.identifier, literalOf(u' ' + m.name));
    }
    text += QStringLiteral("    std::cout << std::endl;\n  }\n\n");
  }
  if (!members.isEmpty()) text += members;
  text += QStringLiteral(
              "};\n\n}  // namespace\n\n"
              "int main(int argc, char** argv) {\n  try {\n"
              "    return %1(Options(argc, argv)).run();\n"
              "  } catch (const std::exception& error) {\n"
              "    std::cerr << argv[0] << \": \" << error.what() << std::endl;\n"
              "    return 2;\n  }\n}\n")
              .arg(own);
  return text;
}

}  // namespace tutti::fomedit
