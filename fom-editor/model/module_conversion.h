// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "omt/error.h"
#include "omt/loss_report.h"
#include "omt/module.h"

namespace tutti::fomedit {

/// An object model in the notation of another edition.
struct Conversion {
  omt::Edition from = omt::Edition::Ieee2010;
  std::string text;               ///< UTF-8; read again without an error
  std::vector<omt::Loss> losses;  ///< what reading could not take, then what writing could not
};

/// Converts the bytes of a file. Where nothing is lost, the result is read as the same module.
///
/// Errors, of kind ErrorReading: the file is not read; or what is written would not be read again,
/// because it goes beyond what readers take (64 MiB, names of 1000 bytes). Pure; thread-safe.
tl::expected<Conversion, omt::Error> convertModule(std::string_view bytes,
                                                   const std::string& displayName, omt::Edition to);

/// A file to be joined.
struct JoinedFile {
  std::string bytes;
  std::string displayName;
};

/// Merges modules as an RTI would and writes what they define, without the standard MIM, as one
/// module of that name. A kind of loss has the file in the names of its places.
///
/// Errors: a file is not read, modules contradict each other (kind Inconsistent, with both places),
/// or as above.
tl::expected<Conversion, omt::Error> joinModules(const std::vector<JoinedFile>& files,
                                                 const std::string& name, omt::Edition to);

/// A module with nothing in it but its name and the roots.
std::string newModule(const std::string& name, omt::Edition edition);

}  // namespace tutti::fomedit
