// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace samples {

/// The command line is not what the program expects; what() says why.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// `--name VALUE` and `--name=VALUE` of a command line. Each option is taken once by its name;
/// done() then refuses what is left over, so a misspelt option is never ignored.
class Options {
 public:
  Options(int argc, const char* const* argv);

  /// All values given for `name`, in order.
  std::vector<std::string> all(const std::string& name);
  std::string text(const std::string& name, const std::string& otherwise);
  std::string required(const std::string& name);
  /// A number within [least, greatest].
  double real(const std::string& name, double otherwise, double least, double greatest);
  double requiredReal(const std::string& name, double least, double greatest);
  long long integer(const std::string& name, long long otherwise, long long least,
                    long long greatest);
  /// True when `--name` stands alone or with "true".
  bool flag(const std::string& name);
  /// Throws UsageError when something was not taken.
  void done() const;

 private:
  struct Given {
    std::string name;
    std::string value;
    bool hasValue = false;
    bool taken = false;
  };
  double number(const std::string& name, const std::string& value, double least,
                double greatest) const;
  std::vector<Given> given_;
};

}  // namespace samples
