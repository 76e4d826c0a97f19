// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <utility>

#include "omt/hla13_reading.h"
#include "omt/text.h"

namespace tutti::omt {

namespace {

using Item = SExpressions::Item;

/// Federation execution data (HLA 1.3 interface specification, FED data interchange format):
/// (FED (Federation NAME) (FEDversion v1.3) (spaces ...) (objects ...) (interactions ...)).
class FedReader {
 public:
  explicit FedReader(const std::string& file) : reading_(file, Edition::Hla13Fed) {}

  tl::expected<Module, Error> read(const SExpressions& document) {
    bool found = false;
    for (const Item form : document.whole()) {
      if (found) {
        reading_.warn(form.line(), "What follows the list FED is not read.", "Delete it.");
        break;
      }
      found = true;
      reading_.warn(form.line(),
                    "This is a FED file of HLA 1.3, which has no datatypes: attributes and "
                    "parameters are octets to the RTI.",
                    "Federates agree on them elsewhere.");
      reading_.module().warnings.back().notice = true;
      readFed(form);
    }
    if (reading_.failed()) return tl::unexpected(*reading_.failure());
    return std::move(reading_.module());
  }

 private:
  /// The word at `place` of a list, 0 its head; empty: there is none, or another list.
  static std::string wordAt(const Item& list, int place) {
    int at = 0;
    for (const Item part : list) {
      if (at++ == place) return collapsed(part.text());
    }
    return {};
  }

  void readFed(const Item& fed) {
    Identification& id = reading_.module().identification;
    id.type = "FOM";
    // What is bound to a space may stand before it.
    for (const Item part : fed) {
      if (part.is("spaces")) readSpaces(part);
    }
    for (const Item part : fed) {
      if (reading_.failed()) return;
      if (part.is("Federation")) {
        id.name = wordAt(part, 1);
      } else if (part.is("FEDversion")) {
        const std::string version = wordAt(part, 1);
        if (!sameIgnoringCase(version, "v1.3")) {
          reading_.warn(part.line(),
                        "The FED version is \"" + shortened(version) + "\", read as v1.3.",
                        "Write (FEDversion v1.3).");
        }
      } else if (part.is("objects")) {
        readTopmost<ModuleObjectClass>(part);
      } else if (part.is("interactions")) {
        readTopmost<ModuleInteractionClass>(part);
      }
    }
  }

  void readSpaces(const Item& spaces) {
    for (const Item space : spaces) {
      if (!space.is("space")) continue;
      std::vector<std::string> dimensions;
      for (const Item part : space) {
        if (part.is("dimension")) dimensions.push_back(wordAt(part, 1));
      }
      reading_.addSpace(wordAt(space, 1), dimensions, space.line());
      if (reading_.failed()) return;
    }
  }

  template <typename Class>
  void readTopmost(const Item& table) {
    for (const Item part : table) {
      if (!part.is("class")) continue;
      Class c;
      readClass(part, c, 1);
      if (reading_.failed()) return;
      reading_.addTopmost(std::move(c));
    }
  }

  /// How what stands in one list is delivered.
  struct Delivery {
    std::optional<OrderType> order;
    std::string transportation;
    std::vector<std::string> dimensions;
  };

  /// The words behind the name: transportation, order, and a routing space or none.
  Delivery readDelivery(const Item& list, const std::string& name) {
    Delivery delivery;
    int at = 0;
    for (const Item part : list) {
      if (at++ < 2 || part.isList()) continue;
      const std::string word = collapsed(part.text());
      if (sameIgnoringCase(word, "reliable") || word == reliableName) {
        delivery.transportation = reliableName;
      } else if (sameIgnoringCase(word, "best_effort") || word == bestEffortName) {
        delivery.transportation = bestEffortName;
      } else if (sameIgnoringCase(word, "timestamp")) {
        delivery.order = OrderType::TimeStamp;
      } else if (sameIgnoringCase(word, "receive")) {
        delivery.order = OrderType::Receive;
      } else if (reading_.hasSpace(word)) {
        delivery.dimensions = reading_.dimensionsOf(word, part.line());
      } else {
        reading_.fail(part.line(),
                      "\"" + shortened(word) + "\" behind " + shortened(name) +
                          " is no transportation, no order and no routing space.",
                      "Write reliable or best_effort, then timestamp or receive, then the name of "
                      "a space or nothing.");
        break;
      }
    }
    return delivery;
  }

  void readClass(const Item& list, ModuleObjectClass& c, int depth) {
    c.name = wordAt(list, 1);
    c.line = list.line();
    c.defined = true;
    if (!reading_.checkClass("object class", c.name, c.line, depth)) return;
    for (const Item part : list) {
      if (part.is("attribute")) {
        readAttribute(part, c);
      } else if (part.is("class")) {
        readClass(part, c.subclasses.emplace_back(), depth + 1);
      }
      if (reading_.failed()) return;
    }
  }

  void readAttribute(const Item& list, ModuleObjectClass& c) {
    Attribute a;
    a.name = wordAt(list, 1);
    a.where.line = list.line();
    if (!reading_.checkRow("attribute", a.name, list.line())) return;
    Delivery delivery = readDelivery(list, a.name);
    a.transportation =
        delivery.transportation.empty() ? reliableName : std::move(delivery.transportation);
    a.order = delivery.order.value_or(OrderType::Receive);
    a.dimensions = std::move(delivery.dimensions);
    Hla13Reading::adopt(a);
    c.attributes.push_back(std::move(a));
  }

  void readClass(const Item& list, ModuleInteractionClass& c, int depth) {
    c.name = wordAt(list, 1);
    c.line = list.line();
    c.defined = true;
    if (!reading_.checkClass("interaction class", c.name, c.line, depth)) return;
    Delivery delivery = readDelivery(list, c.name);
    c.transportation = std::move(delivery.transportation);
    c.order = delivery.order;
    c.dimensions = std::move(delivery.dimensions);
    for (const Item part : list) {
      if (part.is("parameter")) {
        Parameter p;
        p.name = wordAt(part, 1);
        p.where.line = part.line();
        if (reading_.checkRow("parameter", p.name, part.line())) {
          c.parameters.push_back(std::move(p));
        }
      } else if (part.is("class")) {
        readClass(part, c.subclasses.emplace_back(), depth + 1);
      }
      if (reading_.failed()) return;
    }
  }

  Hla13Reading reading_;
};

}  // namespace

tl::expected<Module, Error> readHla13Fed(std::string_view utf8, const std::string& displayName) {
  const auto document = SExpressions::parse(utf8, SExpressions::Escapes::None);
  if (!document) {
    const SExpressions::Fault& fault = document.error();
    return tl::unexpected(Error{ErrorKind::ErrorReading,
                                displayName,
                                fault.line,
                                "FED file of HLA 1.3: " + fault.message,
                                fault.hint,
                                {},
                                0});
  }
  return FedReader(displayName).read(*document);
}

}  // namespace tutti::omt
