// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "omt/error.h"
#include "omt/module.h"

namespace tutti::omt {

/// Reads a module in XML, of IEEE 1516-2000, 1516.2-2010 or 1516.2-2025, from UTF-8 without a
/// byte-order mark. What readModule() says of XML holds. Errors are of kind ErrorReading. libxml2 is
/// initialized by the caller (xmlInitParser).
tl::expected<Module, Error> readXmlModule(std::string_view utf8, const std::string& displayName);

}  // namespace tutti::omt
