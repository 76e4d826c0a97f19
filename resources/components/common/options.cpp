// SPDX-License-Identifier: Apache-2.0
#include "common/options.h"

#include <cmath>
#include <cstdlib>
#include <sstream>

namespace samples {

Options::Options(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.size() < 3 || word.compare(0, 2, "--") != 0)
      throw UsageError("\"" + word + "\" is not an option");
    Given given;
    const auto equals = word.find('=');
    given.name = word.substr(2, equals == std::string::npos ? std::string::npos : equals - 2);
    if (equals != std::string::npos) {
      given.value = word.substr(equals + 1);
      given.hasValue = true;
    } else if (i + 1 < argc && std::string(argv[i + 1]).compare(0, 2, "--") != 0) {
      given.value = argv[++i];
      given.hasValue = true;
    }
    given_.push_back(given);
  }
}

std::vector<std::string> Options::all(const std::string& name) {
  std::vector<std::string> values;
  for (auto& given : given_) {
    if (given.name != name) continue;
    if (!given.hasValue) throw UsageError("--" + name + " has no value");
    given.taken = true;
    values.push_back(given.value);
  }
  return values;
}

std::string Options::text(const std::string& name, const std::string& otherwise) {
  const auto values = all(name);
  return values.empty() ? otherwise : values.back();
}

std::string Options::required(const std::string& name) {
  const auto values = all(name);
  if (values.empty() || values.back().empty()) throw UsageError("--" + name + " is missing");
  return values.back();
}

double Options::number(const std::string& name, const std::string& value, double least,
                       double greatest) const {
  char* end = nullptr;
  const double result = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0' || !std::isfinite(result) || result < least ||
      result > greatest) {
    std::ostringstream message;
    message << "--" << name << " needs a number from " << least << " to " << greatest << ", not \""
            << value << "\"";
    throw UsageError(message.str());
  }
  return result;
}

double Options::real(const std::string& name, double otherwise, double least, double greatest) {
  const auto values = all(name);
  return values.empty() ? otherwise : number(name, values.back(), least, greatest);
}

double Options::requiredReal(const std::string& name, double least, double greatest) {
  return number(name, required(name), least, greatest);
}

long long Options::integer(const std::string& name, long long otherwise, long long least,
                           long long greatest) {
  const auto values = all(name);
  if (values.empty()) return otherwise;
  const double result =
      number(name, values.back(), static_cast<double>(least), static_cast<double>(greatest));
  if (result != std::floor(result))
    throw UsageError("--" + name + " needs a whole number, not \"" + values.back() + "\"");
  return static_cast<long long>(result);
}

bool Options::flag(const std::string& name) {
  bool set = false;
  for (auto& given : given_) {
    if (given.name != name) continue;
    given.taken = true;
    if (given.hasValue && given.value != "true" && given.value != "false")
      throw UsageError("--" + name + " needs true or false");
    set = !given.hasValue || given.value == "true";
  }
  return set;
}

void Options::done() const {
  for (const auto& given : given_) {
    if (!given.taken) throw UsageError("there is no option --" + given.name);
  }
}

}  // namespace samples
