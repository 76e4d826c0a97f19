// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "omt/error.h"
#include "omt/module.h"
#include "omt/object_model.h"

namespace tutti::omt {

/// The designator a federate may not use for a MIM of its own (IEEE 1516.1-2010, 4.5).
inline constexpr std::string_view standardMimDesignator = "HLAstandardMIM";

/// The MIM of IEEE 1516.1-2010, 11: read once, kept for the life of the process.
const Module& standardMim();
/// Its text, for HLAreportMIMdata.
std::string_view standardMimText();

/// Checks that a federate's MIM contains the standard one (IEEE 1516.1-2010, 4.5): every class,
/// attribute, parameter, datatype, dimension and transportation type, alike in what is sent over
/// the wire. Error: ErrorReadingMim.
tl::expected<void, Error> checkMim(const Module& mim);

struct Merged {
  ObjectModel model;
  std::vector<Error> warnings;  ///< differences without effect on an RTI, undefined datatypes, ...
};

/// Merges modules into a model by the rules of IEEE 1516.2-2010, Annex C:
/// - classes are joined by name and place; a class that is only named (scaffolding) fits any
///   definition; two definitions must agree in attributes or parameters and in everything an RTI
///   or a federate acts on. Only a 1516.2-2025 module, a federate's MIM for a class of the standard
///   MIM, and any module for a class of the MOM, may add attributes or parameters to a class that
///   another module defines;
/// - an attribute or parameter that a class states although it inherits it, of the same datatype,
///   is the inherited one (a warning);
/// - dimensions, transportation types, update rates, datatypes, synchronization points and notes
/// are
///   united by name; two of one name must agree;
/// - semantics and notes never conflict, the first is kept;
/// - where a module restates HLAobjectRoot, HLAinteractionRoot or a class of the MOM differently
/// from
///   the MIM, the MIM counts (a warning); the first switches table counts (a warning).
/// The order of modules decides handles, never whether they merge.
///
/// Error: Inconsistent, with both places. On an error nothing was changed.
tl::expected<Merged, Error> merge(std::span<const Module> modules);
tl::expected<Merged, Error> merge(const Module& mim, std::span<const Module> modules);

/// Joins more modules to the model of a running federation (IEEE 1516.1-2010, 4.9). All handles of
/// `running` keep their meaning; its switches stay.
tl::expected<Merged, Error> extend(const ObjectModel& running, std::span<const Module> modules);

}  // namespace tutti::omt
