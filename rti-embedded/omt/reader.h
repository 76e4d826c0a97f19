// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "omt/error.h"
#include "omt/module.h"

namespace tutti::omt {

/// The largest module that is read, in bytes.
inline constexpr std::size_t maxModuleBytes = std::size_t{64} << 20;

/// Reads one module; its content says which edition it is (Module::edition): XML of IEEE
/// 1516.2-2000, 2010 or 2025 (OMT or FDD), or a FED or OMT file of HLA 1.3. What other RTIs load is
/// loaded: a missing or (with a warning) foreign namespace, empty tables and elements out of order
/// are accepted, unknown elements and nameless rows are passed over (the latter with a warning). A
/// topmost class other than the root is read as a subclass of the root, with a warning. So is what
/// is not of 2010, and each thing of it that is not carried over. Never opens another file or
/// address and expands no entities. What goes beyond XmlLimits or SExpressions::Limits is refused:
/// time and memory grow with the bytes only.
///
/// `displayName` is what messages call the module. Errors are of kind ErrorReading. Thread-safe.
tl::expected<Module, Error> readModule(std::span<const std::byte> bytes, std::string displayName);
tl::expected<Module, Error> readModule(std::string_view text, std::string displayName);

/// The bytes of a module's file, at most one more than maxModuleBytes; kind CouldNotOpen. A pipe is
/// read as long as something comes through it within 5 s; folders and devices are refused.
/// Thread-safe.
tl::expected<std::string, Error> readModuleBytes(const std::filesystem::path& path);

/// Reads a file; kind CouldNotOpen when it cannot be opened. The path itself is the display name.
tl::expected<Module, Error> readModuleFile(const std::filesystem::path& path);

}  // namespace tutti::omt
