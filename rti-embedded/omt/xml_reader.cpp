// SPDX-License-Identifier: Apache-2.0
#include "omt/xml_reader.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "omt/edition_2000.h"
#include "omt/edition_2025.h"
#include "omt/text.h"
#include "omt/words.h"
#include "omt/xml_limits.h"
#include "omt/xml_nodes.h"

namespace tutti::omt {

namespace {

struct DocDeleter {
  void operator()(xmlDoc* doc) const { xmlFreeDoc(doc); }
};
struct ContextDeleter {
  void operator()(xmlParserCtxt* context) const { xmlFreeParserCtxt(context); }
};

/// Values of enumerators that stand together in one cell, as in 2000.
constexpr std::size_t maxEnumeratorValues = 1'000'000;

/// Fills a Module from a document. The first error ends the reading, by way of failure().
class ModuleReader {
 public:
  explicit ModuleReader(std::string file) { module_.file = std::move(file); }

  tl::expected<Module, Error> read(xmlNode* root) {
    if (nameOf(root) != "objectModel") {
      return fail(root,
                  "The root element is <" + std::string(nameOf(root)) + ">, not <objectModel>.",
                  "This is no HLA object model; give an OMT or FDD file of IEEE 1516, or a FED or "
                  "OMT file of HLA 1.3.");
    }
    const bool old = isEdition2000(root);
    if (old) {
      module_.edition = Edition::Ieee2000;
      warn(root, "This is an object model of IEEE 1516-2000, read as one of 2010.",
           "Convert it to IEEE 1516.2-2010.");
      module_.warnings.back().notice = true;
      readIdentificationOf2000(root);
    } else if (isEdition2025(root)) {
      module_.edition = Edition::Ieee2025;
      module_.allowsAdditions = true;
    }
    checkRoot(root, old);
    addElementsOfAttributes(root);
    if (old) renameCellsOf2000(root);
    for (const xmlNode* table : Children(root)) {
      readTable(table);
      if (failure_) return tl::unexpected(*failure_);
    }
    return std::move(module_);
  }

 private:
  tl::unexpected<Error> fail(const xmlNode* node, std::string message, std::string hint) {
    setFailure(node, std::move(message), std::move(hint));
    return tl::unexpected(*failure_);
  }

  void setFailure(const xmlNode* node, std::string message, std::string hint = {}) {
    if (failure_) return;
    failure_ = Error{ErrorKind::ErrorReading,
                     module_.file,
                     lineOf(node),
                     std::move(message),
                     std::move(hint),
                     {},
                     0};
  }

  void warn(const xmlNode* node, std::string message, std::string hint = {}) {
    addWarning(module_.warnings, {ErrorKind::ErrorReading,
                                  module_.file,
                                  lineOf(node),
                                  std::move(message),
                                  std::move(hint),
                                  {},
                                  0});
  }

  /// From 2025 on the XML attribute has another name.
  static std::string notesOf(const xmlNode* row) {
    std::string labels = attributeOf(row, "notes");
    return labels.empty() ? attributeOf(row, "noteReferences") : labels;
  }

  SourceLocation here(const xmlNode* node) const { return {0, lineOf(node)}; }

  /// What stands at the first element says what the document is meant to be.
  void checkRoot(const xmlNode* root, bool old) {
    const std::string_view space = root->ns != nullptr ? view(root->ns->href) : std::string_view();
    if (!space.empty() && !space.starts_with("http://standards.ieee.org/IEEE1516-")) {
      warn(root,
           "The namespace of <objectModel> is \"" + std::string(space) +
               "\", not the one of IEEE 1516.2; the file is read nevertheless.",
           "Write xmlns=\"http://standards.ieee.org/IEEE1516-2010\".");
    }
    if (old) return;  // its tables are written as XML attributes
    std::string unknown;
    for (const xmlAttr* a = root->properties; a != nullptr; a = a->next) {
      const std::string_view name = view(a->name);
      if (a->ns != nullptr || name == "notes" || name == "noteReferences" || name == "idtag") {
        continue;
      }
      if (!unknown.empty()) unknown += ", ";
      unknown += name;
    }
    if (unknown.empty()) return;
    warn(root, "<objectModel> has XML attributes that are not read: " + unknown + ".",
         "Write what they say as elements of <modelIdentification>, or delete them.");
  }

  void readTable(const xmlNode* table) {
    const std::string_view name = nameOf(table);
    if (name == "modelIdentification") {
      readIdentification(table);
    } else if (name == "objects") {
      for (const xmlNode* row : Children(table)) {
        if (nameOf(row) == "objectClass") readRoot(row, module_.objectClasses, objectRootName);
      }
    } else if (name == "interactions") {
      for (const xmlNode* row : Children(table)) {
        if (nameOf(row) == "interactionClass") {
          readRoot(row, module_.interactionClasses, interactionRootName);
        }
      }
    } else if (name == "dimensions") {
      for (const xmlNode* row : Children(table)) readDimension(row);
    } else if (name == "transportations") {
      for (const xmlNode* row : Children(table)) readTransportation(row);
    } else if (name == "updateRates") {
      for (const xmlNode* row : Children(table)) readUpdateRate(row);
    } else if (name == "switches") {
      readSwitches(table);
    } else if (name == "dataTypes") {
      for (const xmlNode* group : Children(table)) {
        for (const xmlNode* row : Children(group)) readDataType(row);
      }
    } else if (name == "time") {
      for (const xmlNode* row : Children(table)) {
        const std::string_view cell = nameOf(row);
        // The second names are those of 2025.
        if (cell == "timeStamp" || cell == "logicalTime") module_.timeStamp = readTypeUse(row);
        if (cell == "lookahead" || cell == "logicalTimeInterval") {
          module_.lookahead = readTypeUse(row);
        }
      }
    } else if (name == "tags") {
      readTags(table);
    } else if (name == "synchronizations") {
      for (const xmlNode* row : Children(table)) readSynchronizationPoint(row);
    } else if (name == "notes") {
      for (const xmlNode* row : Children(table)) readNote(row);
    } else if (module_.edition != Edition::Ieee2010) {
      warn(table,
           "<" + shortened(name) + "> is not read: " + std::string(toText(module_.edition)) +
               " has no such table.",
           "Delete it.");
    }
  }

  /// It has no table of its own.
  void readIdentificationOf2000(const xmlNode* root) {
    Identification& id = module_.identification;
    id.name = attributeOf(root, "name");
    id.type = attributeOf(root, "type");
    id.version = attributeOf(root, "version");
    id.modificationDate = attributeOf(root, "date");
    id.purpose = attributeOf(root, "purpose");
    id.applicationDomain = attributeOf(root, "appDomain");
    id.other = attributeOf(root, "other");
    const std::string sponsor = attributeOf(root, "sponsor");
    if (!sponsor.empty()) id.contacts.push_back({"Sponsor", {}, sponsor, {}, {}});
    Contact contact;
    contact.name = attributeOf(root, "pocName");
    contact.organization = attributeOf(root, "pocOrg");
    const std::string phone = attributeOf(root, "pocPhone");
    if (!phone.empty()) contact.telephones.push_back(phone);
    const std::string email = attributeOf(root, "pocEmail");
    if (!email.empty()) contact.emails.push_back(email);
    if (contact != Contact()) id.contacts.push_back(std::move(contact));
    const std::string references = attributeOf(root, "references");
    if (!references.empty()) id.references.emplace_back("references", references);
  }

  void readIdentification(const xmlNode* table) {
    Identification& id = module_.identification;
    for (const xmlNode* row : Children(table)) {
      const std::string_view name = nameOf(row);
      if (name == "name") id.name = token(row);
      if (name == "type") id.type = token(row);
      if (name == "version") id.version = token(row);
      if (name == "modificationDate") id.modificationDate = token(row);
      if (name == "securityClassification") id.securityClassification = token(row);
      if (name == "purpose") id.purpose = prose(row);
      if (name == "applicationDomain") id.applicationDomain = token(row);
      if (name == "description") id.description = prose(row);
      if (name == "useLimitation") id.useLimitation = prose(row);
      if (name == "useHistory") id.useHistory.push_back(prose(row));
      if (name == "other") id.other = prose(row);
      if (name == "copyright") id.other += (id.other.empty() ? "" : "\n") + prose(row);
      if (name == "keyword") id.keywords.push_back(childToken(row, "keywordValue"));
      if (name == "poc") {
        Contact contact;
        for (const xmlNode* cell : Children(row)) {
          const std::string_view of = nameOf(cell);
          const std::string value = token(cell);
          if (value.empty()) continue;
          if (of == "pocType") contact.type = value;
          if (of == "pocName") contact.name = value;
          if (of == "pocOrg") contact.organization = value;
          if (of == "pocTelephone") contact.telephones.push_back(value);
          if (of == "pocEmail") contact.emails.push_back(value);
        }
        id.contacts.push_back(std::move(contact));
      }
      if (name == "reference") {
        id.references.emplace_back(childToken(row, "type"), childToken(row, "identification"));
      }
    }
  }

  /// The word at `node`; `fallback` where it is empty or "NA".
  template <typename Enum, std::size_t n>
  Enum word(const xmlNode* node, const std::array<Word<Enum>, n>& words, Enum fallback) {
    const std::string text = tokenOrEmpty(node);
    if (text.empty()) return fallback;
    for (const auto& w : words) {
      if (sameIgnoringCase(w.text, text)) return w.value;
    }
    setFailure(node, "<" + std::string(nameOf(node)) + "> is \"" + text + "\".",
               "Write " + listOf(words) + ".");
    return fallback;
  }

  /// A name of a class, attribute, parameter or row. Empty: the caller passes the row over.
  std::string nameIn(const xmlNode* row, std::string_view element = "name") {
    std::string name = childToken(row, element);
    if (name.empty()) {
      warn(row, "A <" + std::string(nameOf(row)) + "> without a name is passed over.",
           "Give it a name or delete it.");
    } else if (name.size() > maxNameBytes) {
      setFailure(row,
                 "A <" + std::string(nameOf(row)) + "> has a name of " +
                     std::to_string(name.size()) + " bytes; " + std::to_string(maxNameBytes) +
                     " are read.",
                 "Shorten it.");
      name.clear();
    }
    return name;
  }

  /// A class, attribute or parameter in a class; null: none that has a name.
  static const xmlNode* namedPart(const xmlNode* row) {
    for (const xmlNode* child : Children(row)) {
      const std::string_view name = nameOf(child);
      if (name != "objectClass" && name != "interactionClass" && name != "attribute" &&
          name != "parameter") {
        continue;
      }
      if (!childToken(child, "name").empty()) return child;
      if (const xmlNode* part = namedPart(child)) return part;
    }
    return nullptr;
  }

  template <typename Class>
  void readRoot(const xmlNode* row, std::vector<Class>& roots, std::string_view rootName) {
    if (childToken(row, "name").empty()) {
      if (const xmlNode* lost = namedPart(row)) {
        setFailure(row,
                   "A <" + std::string(nameOf(row)) + "> has no name, but contains " +
                       childToken(lost, "name") + ".",
                   "Name it " + std::string(rootName) + ".");
        return;
      }
      // Editors leave such skeletons in modules without classes.
      warn(row, "A <" + std::string(nameOf(row)) + "> without a name is passed over.",
           "Name it " + std::string(rootName) + " or delete it.");
      return;
    }
    Class root;
    readClass(row, root, 1);
    if (failure_) return;
    if (root.name == rootName) {
      roots.push_back(std::move(root));
      return;
    }
    warn(row,
         "The topmost class is " + root.name + ", not " + std::string(rootName) +
             "; it is read as a subclass of it.",
         "Put it below " + std::string(rootName) + ".");
    Class top;
    top.name = rootName;
    top.line = root.line;
    top.subclasses.push_back(std::move(root));
    roots.push_back(std::move(top));
  }

  bool checkClass(const xmlNode* row, const std::string& name, int depth) {
    if (depth > maxClassDepth) {
      setFailure(row, "Classes are nested more than " + std::to_string(maxClassDepth) + " deep.");
      return false;
    }
    if (name.empty()) {
      setFailure(row, "A <" + std::string(nameOf(row)) + "> has no name.", "Give it a name.");
      return false;
    }
    if (name.size() > maxNameBytes) {
      setFailure(row,
                 "A class has a name of " + std::to_string(name.size()) + " bytes; " +
                     std::to_string(maxNameBytes) + " are read.",
                 "Shorten it.");
      return false;
    }
    if (name.find('.') != std::string::npos) {
      setFailure(row, "The class name " + name + " contains a dot.",
                 "Nest the classes instead: a dot separates a class from its superclass.");
      return false;
    }
    return true;
  }

  /// Before a row takes dimensions whose names have that many bytes; false: they are too many.
  bool countDimensions(const xmlNode* row, std::size_t uses, std::size_t bytes) {
    if (uses <= maxDimensionUses - dimensionUses_ && bytes <= maxDimensionBytes - dimensionBytes_) {
      dimensionUses_ += uses;
      dimensionBytes_ += bytes;
      return true;
    }
    setFailure(row,
               "Classes and attributes use dimensions too often: " +
                   std::to_string(maxDimensionUses) + " in all are read, and " +
                   std::to_string(maxDimensionBytes >> 20) + " MiB of their names.",
               "Leave out what no federate needs.");
    return false;
  }

  /// False: the name is too long, or one too many.
  bool checkDimension(const xmlNode* row, std::string_view name) {
    if (name.size() <= maxNameBytes) return countDimensions(row, 1, name.size());
    setFailure(row,
               "A dimension with a name of " + std::to_string(name.size()) +
                   " bytes is used here; " + std::to_string(maxNameBytes) + " are read.",
               "Shorten it.");
    return false;
  }

  /// None after a failure.
  std::vector<std::string> readDimensionNames(const xmlNode* list) {
    std::vector<std::string> names;
    for (const xmlNode* row : Children(list)) {
      if (nameOf(row) != "dimension") continue;
      std::string name = tokenOrEmpty(row);
      if (name.empty()) continue;
      if (!checkDimension(row, name)) return {};
      names.push_back(std::move(name));
    }
    // IEEE 1516-2000 writes them as one text.
    const std::string all = names.empty() ? tokenOrEmpty(list) : std::string();
    std::size_t start = 0;
    while ((start = all.find_first_not_of(", ", start)) != std::string::npos) {
      const std::size_t end = std::min(all.find_first_of(", ", start), all.size());
      if (!checkDimension(list, std::string_view(all).substr(start, end - start))) return {};
      names.push_back(all.substr(start, end - start));
      start = end;
    }
    return names;
  }

  void readClass(const xmlNode* row, ModuleObjectClass& c, int depth) {
    c.line = lineOf(row);
    c.notes = notesOf(row);
    c.name = childToken(row, "name");
    if (!checkClass(row, c.name, depth)) return;
    c.defined = module_.edition == Edition::Ieee2000 && depth > 1;
    std::vector<std::string> dimensions;  // of 2025: those of all its attributes
    for (const xmlNode* child : Children(row)) {
      const std::string_view name = nameOf(child);
      if (name == "sharing") {
        c.sharing = word(child, sharingWords, Sharing::Unspecified);
      } else if (name == "semantics") {
        c.semantics = prose(child);
      } else if (name == "attribute") {
        readAttribute(child, c);
      } else if (name == "objectClass") {
        readClass(child, c.subclasses.emplace_back(), depth + 1);
      } else if (module_.edition == Edition::Ieee2025) {
        if (name == "dimensions") dimensions = readDimensionNames(child);
        if (name == "directedInteraction") {
          DirectedInteraction directed{childToken(child, "name"), Sharing::Unspecified,
                                       here(child)};
          for (const xmlNode* cell : Children(child)) {
            if (nameOf(cell) == "sharing") {
              directed.sharing = word(cell, sharingWords, Sharing::Unspecified);
            }
          }
          if (!directed.name.empty()) c.directedInteractions.push_back(std::move(directed));
          warn(child,
               "Directed interactions are not offered: " + shortened(childToken(child, "name")) +
                   " is not directed to instances of " + shortened(c.name) + ".",
               "Send it undirected.");
        }
      }
      if (failure_) return;
    }
    addDimensions(row, dimensions, c);
    c.dimensions = std::move(dimensions);
  }

  /// From 2025 on an object class has dimensions, before each of its attributes.
  void addDimensions(const xmlNode* row, const std::vector<std::string>& dimensions,
                     ModuleObjectClass& c) {
    if (dimensions.empty()) return;
    std::size_t bytes = 0;
    for (const std::string& name : dimensions) bytes += name.size();
    for (Attribute& a : c.attributes) {
      if (!a.dimensions.empty()) continue;
      if (!countDimensions(row, dimensions.size(), bytes)) return;
      a.dimensions = dimensions;
    }
  }

  void readAttribute(const xmlNode* row, ModuleObjectClass& c) {
    Attribute a;
    a.where = here(row);
    a.notes = notesOf(row);
    a.name = nameIn(row);
    if (a.name.empty()) return;
    for (const xmlNode* child : Children(row)) {
      const std::string_view name = nameOf(child);
      if (name == "dataType") a.dataType = token(child);
      if (name == "updateType") {
        a.updateType = word(child, updateTypeWords, UpdateType::NotApplicable);
      }
      if (name == "updateCondition") a.updateCondition = prose(child);
      if (name == "ownership") a.ownership = word(child, ownershipWords, Ownership::NoTransfer);
      if (name == "sharing") a.sharing = word(child, sharingWords, Sharing::Unspecified);
      if (name == "dimensions") a.dimensions = readDimensionNames(child);
      if (name == "transportation") a.transportation = tokenOrEmpty(child);
      if (name == "order") a.order = word(child, orderWords, OrderType::Receive);
      if (name == "semantics") a.semantics = prose(child);
      if (name == "valueRequired" && sameIgnoringCase(token(child), "true")) {
        a.valueRequired = true;
        if (!saidRequired_) {
          warn(child,
               "Required values of attributes are not asked for, here and in the rest of the "
               "module.");
        }
        saidRequired_ = true;
      }
    }
    if (a.transportation.empty()) a.transportation = reliableName;
    c.attributes.push_back(std::move(a));
  }

  void readClass(const xmlNode* row, ModuleInteractionClass& c, int depth) {
    c.line = lineOf(row);
    c.notes = notesOf(row);
    c.name = childToken(row, "name");
    if (!checkClass(row, c.name, depth)) return;
    c.defined = module_.edition == Edition::Ieee2000 && depth > 1;
    for (const xmlNode* child : Children(row)) {
      const std::string_view name = nameOf(child);
      if (name == "sharing") {
        c.sharing = word(child, sharingWords, Sharing::Unspecified);
      } else if (name == "dimensions") {
        c.dimensions = readDimensionNames(child);
      } else if (name == "transportation") {
        c.transportation = tokenOrEmpty(child);
      } else if (name == "order") {
        if (!tokenOrEmpty(child).empty()) c.order = word(child, orderWords, OrderType::Receive);
      } else if (name == "semantics") {
        c.semantics = prose(child);
      } else if (name == "parameter") {
        readParameter(child, c);
      } else if (name == "interactionClass") {
        readClass(child, c.subclasses.emplace_back(), depth + 1);
      }
      if (failure_) return;
    }
  }

  void readParameter(const xmlNode* row, ModuleInteractionClass& c) {
    Parameter p;
    p.where = here(row);
    p.notes = notesOf(row);
    p.name = nameIn(row);
    if (p.name.empty()) return;
    for (const xmlNode* child : Children(row)) {
      const std::string_view name = nameOf(child);
      if (name == "dataType") p.dataType = token(child);
      if (name == "semantics") p.semantics = prose(child);
    }
    c.parameters.push_back(std::move(p));
  }

  void readDimension(const xmlNode* row) {
    if (nameOf(row) != "dimension") return;
    Dimension d;
    d.where = here(row);
    d.name = nameIn(row);
    if (d.name.empty()) return;
    for (const xmlNode* child : Children(row)) {
      const std::string_view name = nameOf(child);
      if (name == "dataType") d.dataType = token(child);
      // Of 2025, which lists what the normalization takes; one datatype is that of 2010.
      if (name == "inputDataTypes" && d.dataType.empty()) {
        d.dataType = childToken(child, "dataType");
      }
      if (name == "normalization") d.normalization = token(child);
      if (name == "value") d.defaultValue = token(child);
      if (name == "upperBound") {
        const std::string text = tokenOrEmpty(child);
        if (text.empty()) continue;
        std::uint32_t bound = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), bound);
        if (code != std::errc() || end != text.data() + text.size() || bound == 0) {
          setFailure(child, "The upper bound of dimension " + d.name + " is \"" + text + "\".",
                     "Write a whole number from 1 to 4294967295.");
          return;
        }
        d.upperBound = bound;
      }
    }
    module_.dimensions.push_back(std::move(d));
  }

  void readTransportation(const xmlNode* row) {
    if (nameOf(row) != "transportation") return;
    Transportation t;
    t.where = here(row);
    t.name = nameIn(row);
    if (t.name.empty()) return;
    for (const xmlNode* child : Children(row)) {
      if (nameOf(child) == "reliable") t.reliable = !sameIgnoringCase(token(child), "No");
      if (nameOf(child) == "semantics") t.semantics = prose(child);
    }
    module_.transportations.push_back(std::move(t));
  }

  void readUpdateRate(const xmlNode* row) {
    if (nameOf(row) != "updateRate") return;
    UpdateRate u;
    u.where = here(row);
    u.name = nameIn(row);
    if (u.name.empty()) return;
    for (const xmlNode* child : Children(row)) {
      if (nameOf(child) == "semantics") u.semantics = prose(child);
      if (nameOf(child) != "rate") continue;
      const std::string text = token(child);
      const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), u.rate);
      if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(u.rate)) {
        setFailure(child, "The rate of update rate " + u.name + " is \"" + text + "\".",
                   "Write the maximum number of updates per second, such as 10.5.");
        return;
      }
    }
    if (u.rate <= 0.0) {
      setFailure(row, "Update rate " + u.name + " is not above 0.",
                 "Write the maximum number of updates per second, such as 10.5.");
      return;
    }
    module_.updateRates.push_back(std::move(u));
  }

  void readSwitches(const xmlNode* table) {
    ModuleSwitches s;
    s.line = lineOf(table);
    bool any = false;
    const std::array<std::pair<std::string_view, std::optional<bool>*>, 10> rows{
        {{"autoProvide", &s.autoProvide},
         {"conveyRegionDesignatorSets", &s.conveyRegionDesignatorSets},
         {"conveyProducingFederate", &s.conveyProducingFederate},
         {"attributeScopeAdvisory", &s.attributeScopeAdvisory},
         {"attributeRelevanceAdvisory", &s.attributeRelevanceAdvisory},
         {"objectClassRelevanceAdvisory", &s.objectClassRelevanceAdvisory},
         {"interactionRelevanceAdvisory", &s.interactionRelevanceAdvisory},
         {"serviceReporting", &s.serviceReporting},
         {"exceptionReporting", &s.exceptionReporting},
         {"delaySubscriptionEvaluation", &s.delaySubscriptionEvaluation}}};
    for (const xmlNode* row : Children(table)) {
      const std::string_view name = nameOf(row);
      for (const auto& [rowName, value] : rows) {
        if (name != rowName) continue;
        std::string text = attributeOf(row, "isEnabled");
        if (text.empty()) text = token(row);
        if (sameIgnoringCase(text, "true") || text == "1" || sameIgnoringCase(text, "enabled")) {
          *value = true;
        } else if (text.empty() || sameIgnoringCase(text, "false") || text == "0" ||
                   sameIgnoringCase(text, "disabled")) {
          *value = false;
        } else {
          setFailure(row, "Switch " + std::string(name) + " is \"" + text + "\".",
                     "Write isEnabled=\"true\" or isEnabled=\"false\".");
          return;
        }
        any = true;
      }
      if (isSwitchOf2025(name)) {
        s.of2025.emplace_back(name, sameIgnoringCase(attributeOf(row, "isEnabled"), "true"));
        any = true;
      }
      if (isSwitchOf2025(name) && s.of2025.back().second) {
        warn(row, "Switch " + std::string(name) + " of IEEE 1516-2025 is not offered.",
             "Disable it.");
      }
      if (name == "automaticResignAction") {
        std::string text = attributeOf(row, "resignAction");
        if (text.empty()) text = token(row);
        if (text.empty()) text = "NoAction";  // the default of the schema
        const auto found = std::find_if(resignWords.begin(), resignWords.end(), [&](const auto& w) {
          return sameIgnoringCase(w.text, text);
        });
        if (found == resignWords.end()) {
          setFailure(row, "The automatic resign action is \"" + text + "\".",
                     "Write " + listOf(resignWords) + ".");
          return;
        }
        s.automaticResignAction = found->value;
        any = true;
      }
    }
    if (any) module_.switches = s;
  }

  void readDataType(const xmlNode* row) {
    static constexpr std::array<Word<DataTypeKind>, 7> kinds{
        {{"basicData", DataTypeKind::Basic},
         {"simpleData", DataTypeKind::Simple},
         {"referenceDataType", DataTypeKind::Simple},
         {"enumeratedData", DataTypeKind::Enumerated},
         {"arrayData", DataTypeKind::Array},
         {"fixedRecordData", DataTypeKind::FixedRecord},
         {"variantRecordData", DataTypeKind::VariantRecord}}};
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const auto& k) { return k.text == nameOf(row); });
    if (kind == kinds.end()) return;
    DataType t;
    t.kind = kind->value;
    t.where = here(row);
    t.notes = notesOf(row);
    t.name = nameIn(row);
    if (t.name.empty()) return;
    for (const xmlNode* child : Children(row)) {
      const std::string_view name = nameOf(child);
      if (name == "semantics") t.semantics = prose(child);
      if (name == "encoding") t.encoding = token(child);
      if (name == "size") t.sizeBits = readSize(child, t.name);
      if (name == "endian") t.bigEndian = !sameIgnoringCase(token(child), "Little");
      if (name == "interpretation") t.interpretation = prose(child);
      if (name == "representation") t.representation = token(child);
      if (name == "units") t.units = tokenOrEmpty(child);
      if (name == "resolution") t.resolution = tokenOrEmpty(child);
      if (name == "accuracy") t.accuracy = tokenOrEmpty(child);
      if (name == "cardinality") t.cardinality = token(child);
      if (name == "discriminant") t.discriminant = token(child);
      if (name == "dataType") {
        (t.kind == DataTypeKind::VariantRecord ? t.discriminantType : t.elementType) = token(child);
      }
      if (name == "enumerator") {
        Enumerator e;
        e.line = lineOf(child);
        for (const xmlNode* part : Children(child)) {
          if (nameOf(part) == "name") e.name = token(part);
          if (nameOf(part) == "value") addValues(token(part), e.values);
        }
        t.enumerators.push_back(std::move(e));
      }
      if (name == "field") {
        RecordField f;
        f.line = lineOf(child);
        for (const xmlNode* part : Children(child)) {
          if (nameOf(part) == "name") f.name = token(part);
          if (nameOf(part) == "dataType") f.dataType = token(part);
          if (nameOf(part) == "semantics") f.semantics = prose(part);
        }
        t.fields.push_back(std::move(f));
      }
      if (name == "alternative") {
        VariantAlternative v;
        v.line = lineOf(child);
        for (const xmlNode* part : Children(child)) {
          if (nameOf(part) == "enumerator") v.enumerators = token(part);
          if (nameOf(part) == "name") v.name = tokenOrEmpty(part);
          if (nameOf(part) == "dataType") v.dataType = tokenOrEmpty(part);
          if (nameOf(part) == "semantics") v.semantics = prose(part);
        }
        t.alternatives.push_back(std::move(v));
      }
    }
    if (nameOf(row) == "referenceDataType") {
      t.isReference = true;
      t.referenceClass = childToken(row, "referenceClass");
      t.referencedAttribute = childToken(row, "referencedAttribute");
      warn(row, "Reference datatype " + shortened(t.name) +
                    " is read as a simple datatype: its values are not checked.");
    }
    if (t.kind == DataTypeKind::Basic && childToken(row, "size").empty()) {
      warn(row, "Basic data representation " + t.name + " has no size; it is read as unknown.",
           "Write the number of bits.");
    }
    module_.dataTypes.push_back(std::move(t));
  }

  /// In 2000 one cell has all values of an enumerator.
  void addValues(std::string text, std::vector<std::string>& values) {
    if (module_.edition != Edition::Ieee2000 || text.find_first_of(" ,") == std::string::npos) {
      values.push_back(std::move(text));
      return;
    }
    std::size_t start = 0;
    while ((start = text.find_first_not_of(", ", start)) != std::string::npos) {
      const std::size_t end = std::min(text.find_first_of(", ", start), text.size());
      // What is far from any model is not worth the memory.
      if (++enumeratorValues_ > maxEnumeratorValues) return;
      values.push_back(text.substr(start, end - start));
      start = end;
    }
  }

  std::uint32_t readSize(const xmlNode* node, const std::string& typeName) {
    const std::string text = token(node);
    if (text.empty()) return 0;  // said of the row
    std::uint32_t bits = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), bits);
    if (code != std::errc() || end != text.data() + text.size()) {
      bits = 0;
    }
    if (bits == 0) {
      warn(node, "The size of " + typeName + " is \"" + text + "\", read as unknown.",
           "Write the number of bits.");
    }
    return bits;
  }

  TypeUse readTypeUse(const xmlNode* row) {
    TypeUse use;
    use.where = here(row);
    for (const xmlNode* child : Children(row)) {
      if (nameOf(child) == "dataType") use.dataType = tokenOrEmpty(child);
      if (nameOf(child) == "semantics") use.semantics = prose(child);
    }
    return use;
  }

  void readTags(const xmlNode* table) {
    UserTags& tags = module_.userTags;
    const std::array<std::pair<std::string_view, TypeUse*>, 7> rows{
        {{"updateReflectTag", &tags.updateReflect},
         {"sendReceiveTag", &tags.sendReceive},
         {"deleteRemoveTag", &tags.deleteRemove},
         {"divestitureRequestTag", &tags.divestitureRequest},
         {"divestitureCompletionTag", &tags.divestitureCompletion},
         {"acquisitionRequestTag", &tags.acquisitionRequest},
         {"requestUpdateTag", &tags.requestUpdate}}};
    for (const xmlNode* row : Children(table)) {
      for (const auto& [name, use] : rows) {
        if (nameOf(row) == name) *use = readTypeUse(row);
      }
    }
  }

  void readSynchronizationPoint(const xmlNode* row) {
    if (nameOf(row) != "synchronizationPoint" && nameOf(row) != "synchronization") return;
    SynchronizationPoint point;
    point.where = here(row);
    point.label = nameIn(row, "label");
    if (point.label.empty()) return;
    for (const xmlNode* child : Children(row)) {
      if (nameOf(child) == "dataType") point.dataType = tokenOrEmpty(child);
      if (nameOf(child) == "capability") point.capability = tokenOrEmpty(child);
      if (nameOf(child) == "semantics") point.semantics = prose(child);
    }
    module_.synchronizationPoints.push_back(std::move(point));
  }

  void readNote(const xmlNode* row) {
    if (nameOf(row) != "note") return;
    Note note;
    note.where = here(row);
    note.label = nameIn(row, "label");
    if (note.label.empty()) return;
    for (const xmlNode* child : Children(row)) {
      if (nameOf(child) == "semantics") note.semantics = prose(child);
    }
    module_.notes.push_back(std::move(note));
  }

  Module module_;
  std::optional<Error> failure_;
  std::size_t dimensionUses_ = 0;
  std::size_t dimensionBytes_ = 0;
  std::size_t enumeratorValues_ = 0;  ///< that stand together
  bool saidRequired_ = false;
};

/// What libxml2 says first; what it says later often follows from it.
struct ParserError {
  int line = 0;
  std::string message;
};

extern "C" {
static void keepFirstError(void* userData, xmlErrorPtr error) {
  const auto* context = static_cast<const xmlParserCtxt*>(userData);
  auto* kept = static_cast<ParserError*>(context->_private);
  if (kept == nullptr || !kept->message.empty() || error->level < XML_ERR_ERROR) return;
  kept->line = error->line;
  kept->message = error->message != nullptr ? trimmed(error->message) : "unknown error";
  if (!kept->message.empty() && kept->message.back() != '.') kept->message += '.';
}
}

}  // namespace

tl::expected<Module, Error> readXmlModule(std::string_view utf8, const std::string& displayName) {
  const auto failed = [&](int line, std::string message, std::string hint) {
    return tl::unexpected(Error{
        ErrorKind::ErrorReading, displayName, line, std::move(message), std::move(hint), {}, 0});
  };
  XmlScan scan = scanXml(utf8);
  if (scan.excess) {
    return failed(scan.excess->line, std::move(scan.excess->message), std::move(scan.excess->hint));
  }

  const std::unique_ptr<xmlParserCtxt, ContextDeleter> context(xmlNewParserCtxt());
  if (!context) return failed(0, "No memory to read the file.", "Close other programs.");
  ParserError parserError;
  context->_private = &parserError;
  context->sax->serror = keepFirstError;
  // No XML_PARSE_NOENT: entities are not expanded. No XML_PARSE_HUGE: the parser's limits hold.
  constexpr int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                          XML_PARSE_BIG_LINES | XML_PARSE_IGNORE_ENC;
  const std::unique_ptr<xmlDoc, DocDeleter> doc(xmlCtxtReadMemory(
      context.get(), utf8.data(), static_cast<int>(scan.bytes), nullptr, nullptr, options));
  if (!doc) {
    if (parserError.message.empty()) parserError.message = "it ends too early.";
    return failed(parserError.line, "Not well-formed XML: " + parserError.message,
                  "Correct the file or export it again.");
  }
  if (scan.bytes < utf8.size()) {
    return failed(0, "Not well-formed XML.", "Correct the file or export it again.");
  }
  xmlNode* root = xmlDocGetRootElement(doc.get());
  if (root == nullptr) return failed(0, "The file has no element.", {});
  return ModuleReader(displayName).read(root);
}

}  // namespace tutti::omt
