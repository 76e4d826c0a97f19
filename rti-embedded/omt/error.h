// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti::omt {

/// What is wrong with an object model, named after the exception of IEEE 1516.1-2010 (4.5, 4.9)
/// that the federate gets.
enum class ErrorKind : std::uint8_t {
  CouldNotOpen,     ///< CouldNotOpenFDD
  ErrorReading,     ///< ErrorReadingFDD
  Inconsistent,     ///< InconsistentFDD
  CouldNotOpenMim,  ///< CouldNotOpenMIM
  ErrorReadingMim   ///< ErrorReadingMIM: not readable, or lacks content of HLAstandardMIM
};

/// A finding about an object model: an error, or a warning where a call returns it beside a result.
struct Error {
  ErrorKind kind = ErrorKind::ErrorReading;
  std::string file;  ///< as it was given by the caller
  int line = 0;      ///< from 1; 0 where there is none
  std::string message;
  std::string hint;       ///< what to do next; may be empty
  std::string otherFile;  ///< the other of two definitions that contradict each other
  int otherLine = 0;
  bool notice = false;  ///< of a warning: it says what the file is, nothing of it is passed over

  /// "RPR-Base.xml:52: message (hint)", for logs and exceptions.
  std::string toText() const;
};

/// Warnings that are kept of one module, and of one merging: a file of a few megabytes may contain
/// a million things to be warned of.
inline constexpr std::size_t maxWarnings = 1000;

/// Adds a warning; behind the last that is kept it is said that there are more.
void addWarning(std::vector<Error>& warnings, Error warning);

}  // namespace tutti::omt
