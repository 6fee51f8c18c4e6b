// The flags of a program or of its subcommands, declared without the headers of CLI11: each file that includes those takes 5 s
// longer to compile. flags.cc alone does.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gemm::tool {

// What was declared last; what is said of it can be chained.
class Flag {
 public:
  explicit Flag(CLI::Option* option) : option_(option) {}

  Flag& Takes(const std::string& text);  // how --help names the value: "FILE"
  Flag& Integer();  // refuses what is no decimal integer of 64 bits; CLI11 alone would take the nearest that is
  Flag& Unsigned();  // likewise of what is none from 0 to 2^64 - 1; CLI11 alone would wrap negative ones
  Flag& CommaSeparated();
  Flag& Required();
  Flag& Excludes(const Flag& other);  // refuses both in one command

 private:
  CLI::Option* option_;
};

class FlagSet {
 public:
  explicit FlagSet(CLI::App* app) : app_(app) {}

  // A flag, or with no dashes an argument, whose value goes to *value, which stays as it is when the user gives none.
  // T is one of those at the end of flags.cc.
  template <class T>
  Flag Add(const std::string& name, T* value, const std::string& help);

  // A flag that takes no value; "--x,!--no-x" has an opposite.
  Flag AddSwitch(const std::string& name, bool* value, const std::string& help);

  void Version(const std::string& text);  // what --version says
  void Footer(const std::string& text);
  void NeedsSubcommand();

 protected:
  CLI::App* app_;
};

class Subcommand : public FlagSet {
 public:
  Subcommand(CLI::App* app, const std::string& name, const std::string& help);

  // When the user asks for this subcommand, *command becomes `run`.
  void Runs(std::function<int()>* command, std::function<int()> run);

  // The same for a subcommand that has no flags of its own: `run` gets all words behind it, --help included.
  void PassesOn(std::function<int()>* command, std::function<int(const std::vector<std::string>&)> run);
};

struct DeleteApp {
  void operator()(CLI::App* app) const;
};

std::unique_ptr<CLI::App, DeleteApp> MakeApp(const std::string& name, const std::string& help);

// An exit code where there is nothing to run: after --help and --version, and when the arguments cannot be parsed.
std::optional<int> Parse(CLI::App* app, int argc, char** argv);

}  // namespace gemm::tool
