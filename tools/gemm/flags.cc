#include "tools/gemm/flags.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "tools/gemm/exit_code.h"

namespace gemm::tool {
namespace {

// Whether all of `text` is a decimal T.
template <class T>
bool IsWhole(const std::string& text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Flag& Flag::Takes(const std::string& text) {
  option_->option_text(text);
  return *this;
}

Flag& Flag::Integer() {
  option_->check([](const std::string& text) {
    return IsWhole<std::int64_t>(text) ? std::string() : fmt::format("{} is no integer of 64 bits", text);
  });
  return *this;
}

Flag& Flag::Unsigned() {
  option_->check([](const std::string& text) {
    return IsWhole<std::uint64_t>(text) ? std::string()
                                        : fmt::format("{} is no integer from 0 to 2^64 - 1", text);
  });
  return *this;
}

Flag& Flag::CommaSeparated() {
  option_->delimiter(',');
  return Takes("TEXT,...");
}

Flag& Flag::Required() {
  option_->required();
  return *this;
}

Flag& Flag::Excludes(const Flag& other) {
  option_->excludes(other.option_);
  return *this;
}

Subcommand::Subcommand(CLI::App* app, const std::string& name, const std::string& help)
    : FlagSet(app->add_subcommand(name, help)) {}

template <class T>
Flag FlagSet::Add(const std::string& name, T* value, const std::string& help) {
  CLI::Option* option = app_->add_option(name, *value, help);
  // A list takes one word each time its flag is given, and leaves the words behind that to the arguments.
  if (name.front() == '-') option->allow_extra_args(false);
  return Flag(option);
}

Flag FlagSet::AddSwitch(const std::string& name, bool* value, const std::string& help) {
  return Flag(app_->add_flag(name, *value, help));
}

void FlagSet::Version(const std::string& text) { app_->set_version_flag("--version", text); }

void FlagSet::Footer(const std::string& text) { app_->footer(text); }

void FlagSet::NeedsSubcommand() { app_->require_subcommand(1); }

void Subcommand::Runs(std::function<int()>* command, std::function<int()> run) {
  app_->callback([command, run = std::move(run)] { *command = run; });
}

void Subcommand::PassesOn(std::function<int()>* command,
                          std::function<int(const std::vector<std::string>&)> run) {
  app_->set_help_flag();
  app_->prefix_command();
  app_->callback(
      [app = app_, command, run = std::move(run)] { *command = [app, run] { return run(app->remaining()); }; });
}

void DeleteApp::operator()(CLI::App* app) const { delete app; }

std::unique_ptr<CLI::App, DeleteApp> MakeApp(const std::string& name, const std::string& help) {
  return std::unique_ptr<CLI::App, DeleteApp>(new CLI::App(help, name));
}

std::optional<int> Parse(CLI::App* app, int argc, char** argv) {
  try {
    app->parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    return app->exit(success);
  } catch (const CLI::ParseError& error) {
    return Fail(kBadInput, fmt::format("{}; see {} --help", error.what(), app->get_name()));
  }
  return std::nullopt;
}

template Flag FlagSet::Add(const std::string&, int*, const std::string&);
template Flag FlagSet::Add(const std::string&, std::int64_t*, const std::string&);
template Flag FlagSet::Add(const std::string&, std::optional<std::int64_t>*, const std::string&);
template Flag FlagSet::Add(const std::string&, std::uint64_t*, const std::string&);
template Flag FlagSet::Add(const std::string&, float*, const std::string&);
template Flag FlagSet::Add(const std::string&, double*, const std::string&);
template Flag FlagSet::Add(const std::string&, std::string*, const std::string&);
template Flag FlagSet::Add(const std::string&, std::vector<int>*, const std::string&);
template Flag FlagSet::Add(const std::string&, std::vector<std::string>*, const std::string&);

}  // namespace gemm::tool
