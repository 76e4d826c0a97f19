// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

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

  /// "RPR-Base.xml:52: message (hint)", for logs and exceptions.
  std::string toText() const;
};

}  // namespace tutti::omt
