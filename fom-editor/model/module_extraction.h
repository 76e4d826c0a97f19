// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "fom-editor/model/module_dependencies.h"
#include "fom-editor/model/module_source.h"

namespace tutti::fomedit {

/// What becomes of datatypes, dimensions and transportation types that the extracted classes use
/// and others as well. Notes are copied then: each file has the notes that it refers to.
enum class SharedRows : std::uint8_t {
  Stay,  ///< where they are: the new module depends on the old one
  Copy,  ///< they are in both modules, alike
  Move   ///< to the new module: the old one depends on it
};

/// A row that goes, by kind and name; notes have no kind in a DependencyGraph.
struct ExtractedRow {
  std::string kind;  ///< "object class", "interaction class", "datatype", "note", ...
  std::string name;  ///< of a class the full one
  bool operator==(const ExtractedRow&) const = default;
};

struct ExtractionRequest {
  struct Class {
    bool isObject = true;
    std::string fullName;  ///< "HLAobjectRoot.Track.Flight"
    auto operator<=>(const Class&) const = default;
  };
  std::vector<Class> classes;
  bool withSubclasses = true;  ///< what the module has below them goes with them
  SharedRows shared = SharedRows::Stay;
  /// Names that other modules of the model use: what only the classes use in this module is shared
  /// then.
  std::set<std::pair<NameKind, std::string>> usedElsewhere;
  std::string name;  ///< the new module's, in its identification
  std::string file;  ///< its file's name, which modules that depend on it give; empty: the name
  /// Another module of the model, but the MIM.
  struct Other {
    std::string file;  ///< display name
    std::shared_ptr<const std::string> bytes;
  };
  /// Read where the module is no model without them, so that the merged result can be compared.
  std::vector<Other> others;
};

/// A module in two.
struct Extraction {
  std::string text;                 ///< the new module, in UTF-8
  Splices changes;                  ///< of the old module's text
  std::vector<ExtractedRow> moved;  ///< only in the new module
  std::vector<ExtractedRow> copied;
  /// They stay, and the new module uses them, or has classes below them.
  std::vector<ExtractedRow> needed;
  enum class Compared : std::uint8_t {
    Alone,       ///< the two, merged, are what the one was
    WithOthers,  ///< the same, merged with ExtractionRequest::others
    No           ///< merged they are no model, neither before nor after
  };
  Compared compared = Compared::Alone;
  QString uncompared;  ///< of No the reason: what merging said, without a full stop
};

/// Puts classes of a module into a new one, with the names of the classes above them (scaffolding,
/// IEEE 1516.2-2010, Annex C) and the rows of tables that they alone use. Bytes of the old module
/// that do not go stay as they are. Merged, the two are what the one was; that is checked as far as
/// Extraction::compared says.
///
/// The error is text for a person: a class is not in the module or only named there, it is of an
/// edition without modules, or the two would not be what the one was. Pure; thread-safe.
/// Where `goOn` says false, which is asked between the steps of the check, the error is empty.
tl::expected<Extraction, QString> extractionOf(const ModuleSource& source,
                                               const ExtractionRequest& request,
                                               const std::function<bool()>& goOn = {});

/// The same without the check, for a request that was checked under another name: reading and
/// merging takes much longer than dividing.
tl::expected<Extraction, QString> extractionUnchecked(const ModuleSource& source,
                                                      const ExtractionRequest& request);

/// The classes that a module states more of than a name, in its order.
std::vector<ExtractionRequest::Class> classesOf(const ModuleSource& source);

}  // namespace tutti::fomedit
