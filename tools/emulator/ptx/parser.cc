#include "tools/emulator/ptx/parser.h"

#include <charconv>

#include "tools/emulator/ptx/expression.h"

namespace emu::ptx {

std::unique_ptr<Module> Parse(const std::string& text) { return Parser(text).Run(); }

std::unique_ptr<Module> ParseAllButKernels(const std::string& text) {
  auto parser = std::make_shared<Parser>(text, true);
  std::unique_ptr<Module> module = parser->Run();
  module->parser = std::move(parser);
  return module;
}

void Module::Complete(const Function& function) const {
  // No module is made const; whoever holds one as const sees the same function, whenever its body is read.
  if (function.unread) parser->Complete(const_cast<Function&>(function));
}

std::unique_ptr<Module> Parser::Run() {
  while (!tokens_.AtEnd()) Statement();
  if (!versioned_) tokens_.Fail("there is no .version");
  Finish();
  tokens_ = Tokens("");
  return std::move(module_);
}

void Parser::Statement() {
  const Token& token = tokens_.Peek();
  if (tokens_.Accept(";")) return;
  if (token.Is("@") && tokens_.Peek(1).Is("@")) {  // "@@DWARF ...": a line of debug information in old PTX
    while (!tokens_.AtEnd() && tokens_.line() == token.line) tokens_.Take();
    return;
  }
  if (token.kind == Token::Kind::kWord && tokens_.Peek(1).Is(":")) {  // a label of debug information
    tokens_.Take();
    tokens_.Take();
    return;
  }
  if (token.kind != Token::Kind::kDotWord) tokens_.Unexpected("a directive");
  if (!versioned_ && token.text != "version") tokens_.Unexpected("'.version'");
  Directive();
}

void Parser::Directive() {
  if (SkipDirective(tokens_)) return;
  Linkage linkage;
  for (bool more = true; more;) {
    more = false;
    if (tokens_.AcceptDot("extern")) more = linkage.external = true;
    if (tokens_.AcceptDot("visible") || tokens_.AcceptDot("weak") || tokens_.AcceptDot("common")) {
      more = linkage.visible = true;
    }
  }
  const Token& token = tokens_.Peek();
  const Space space = token.kind == Token::Kind::kDotWord ? ParseSpace(token.text) : Space::kNone;
  if (space != Space::kNone) {
    if (space == Space::kParam) tokens_.Fail("a parameter outside a function");
    tokens_.Take();
    Variables(linkage, space);
  } else if (tokens_.AcceptDot("tex")) {
    Variables(linkage, Space::kGlobal);
  } else if (tokens_.AcceptDot("entry")) {
    ParseFunction(true);
  } else if (tokens_.AcceptDot("func")) {
    ParseFunction(false);
  } else if (tokens_.AcceptDot("version")) {
    Version();
  } else if (tokens_.AcceptDot("target")) {
    Target();
  } else if (tokens_.AcceptDot("address_size")) {
    AddressSize();
  } else if (tokens_.AcceptDot("alias")) {
    Alias();
  } else {
    tokens_.Fail("the directive " + Describe(token) + " is not understood");
  }
}

void Parser::Version() {
  const Token& token = tokens_.Peek();
  const char* const end = token.text.data() + token.text.size();
  int major = 0, minor = 0;
  const auto first = std::from_chars(token.text.data(), end, major);
  const bool dot =
      token.kind == Token::Kind::kFloat && first.ec == std::errc() && first.ptr != end && *first.ptr == '.';
  const auto second = std::from_chars(dot ? first.ptr + 1 : end, end, minor);
  if (!dot || second.ec != std::errc() || second.ptr != end || major > 99 || minor > 9) {
    tokens_.Unexpected("a version, as 9.0,");
  }
  tokens_.Take();
  module_->version = major * 10 + minor;
  versioned_ = true;
}

void Parser::Target() {
  module_->target = tokens_.ExpectWord("a target, as sm_90,");
  while (tokens_.Accept(",")) tokens_.ExpectWord("an option of .target");
}

void Parser::AddressSize() {
  const std::uint64_t bits = ParseSize(tokens_, "the address size", 64);
  if (bits != 64) tokens_.Fail("only an address size of 64 bits is supported");
}

void Parser::Alias() {
  const int line = tokens_.line();
  const std::string alias(tokens_.ExpectWord("the name of a function"));
  tokens_.Expect(",", "an alias");
  const std::string of(tokens_.ExpectWord("the name of a function"));
  tokens_.Expect(";", "an alias");
  aliases_.push_back({alias, of, line});
}

void Parser::Declare(const std::string& name, const ModuleName& what) {
  const auto [known, is_new] = names_.emplace(name, what);
  if (is_new) return;
  if (known->second.function != what.function) tokens_.Fail("'" + name + "' is a function and a variable");
  if (known->second.defined && what.defined) tokens_.Fail("'" + name + "' is defined twice");
  if (what.defined || !known->second.defined) known->second = what;
}

void Parser::Variables(const Linkage& linkage, Space space) {
  const Specifiers specifiers = ParseSpecifiers(tokens_, "a variable");
  do {
    const int line = tokens_.line();
    std::vector<std::uint64_t> dimensions;
    Variable variable = ParseDeclarator(tokens_, space, specifiers, dimensions);
    variable.external = linkage.external;
    variable.visible = linkage.visible;
    Declare(variable.name,
            {false, !linkage.external, variable.size() / std::max<std::uint64_t>(variable.elements, 1)});
    if (tokens_.Accept("=")) {
      if (space != Space::kGlobal && space != Space::kConst) {
        tokens_.Fail("only .global and .const variables can have an initial value");
      }
      if (specifiers.opaque) tokens_.Fail("initial values of samplers and textures are not supported");
      ParseInitializer(tokens_, dimensions, variable);
      for (const Variable::Patch& patch : variable.patches) awaited_.push_back({patch.symbol, line});
    }
    module_->variables.push_back(std::move(variable));
  } while (tokens_.Accept(","));
  tokens_.Expect(";", "the declaration of a variable");
}

void Parser::ParseFunction(bool entry) {
  Function function;
  function.entry = entry;
  function.line = tokens_.line();
  while (SkipAttribute(tokens_)) {
  }
  if (!entry && tokens_.Peek().Is("(")) function.results = ParseParameters(tokens_, nullptr);
  function.name = tokens_.ExpectWord("the name of a function");
  if (tokens_.Peek().Is("(")) function.params = ParseParameters(tokens_, &function.param_bytes);
  Header(function);
  function.declared_only = !tokens_.Peek().Is("{");
  Declare(function.name, {true, !function.declared_only, 0});
  if (function.declared_only) {
    tokens_.Expect(";", "the declaration of a function");
  } else {
    function.unread = entry && all_but_kernels_ && SkipBody(function);
    if (!function.unread) {
      tokens_.Take();
      BodyParser(*this, function).Run();
    }
  }
  module_->functions.push_back(std::move(function));
}

// From the "{" to behind the "}" that ends the function. False, and nothing is skipped, where the body may declare variables of
// the module: where a space is no modifier right behind an opcode.
bool Parser::SkipBody(const Function& function) {
  const std::size_t begin = tokens_.position();
  const Token& open = tokens_.Take();
  bool modifies = false;  // a token that is glued to the last one is a modifier of an instruction
  const char* end = nullptr;
  for (std::size_t depth = 1; depth > 0;) {
    if (tokens_.AtEnd()) tokens_.Unexpected("'}'");
    const Token& token = tokens_.Take();
    const bool is_dot_word = token.kind == Token::Kind::kDotWord;
    modifies = token.kind == Token::Kind::kWord || (modifies && is_dot_word && token.glued);
    if (is_dot_word && !modifies && (token.text == "global" || token.text == "const")) {
      tokens_.MoveTo(begin);
      return false;
    }
    if (token.Is("{")) ++depth;
    if (token.Is("}")) --depth;
    end = token.text.data() + token.text.size();
  }
  const char* const first = open.text.data() + open.text.size();
  unread_[function.name] = {{first, static_cast<std::size_t>(end - first)}, open.line};
  return true;
}

void Parser::Complete(Function& function) {
  const Unread& unread = unread_.at(function.name);
  tokens_ = Tokens(unread.body, unread.line);
  Function read = function;  // as it was where the body has a mistake
  BodyParser(*this, read).Run();
  read.unread = false;
  function = std::move(read);
}

// What stands between the parameters and the body.
void Parser::Header(Function& function) {
  while (tokens_.Peek().kind == Token::Kind::kDotWord) {
    if (SkipDirective(tokens_) || SkipAttribute(tokens_) || Tuning(function)) continue;
    tokens_.Fail("the directive " + Describe(tokens_.Peek()) + " of a function is not understood");
  }
}

// "128, 2": up to three numbers; what is left out is 1.
std::array<std::uint32_t, 3> Parser::Dimensions(const char* what) {
  std::array<std::uint32_t, 3> dimensions{1, 1, 1};
  std::size_t count = 0;
  do {
    if (count == dimensions.size()) tokens_.Fail(std::string(what) + " has more than three dimensions");
    dimensions[count++] = static_cast<std::uint32_t>(ParseSize(tokens_, what, 0x7fffffff));
  } while (tokens_.Accept(","));
  return dimensions;
}

// Directives about how a kernel is compiled or launched (PTX ISA, "Performance-Tuning Directives", "Cluster Dimension
// Directives"). False when the next token is none.
bool Parser::Tuning(Function& function) {
  const auto number = [&](const char* what) {
    return static_cast<std::uint32_t>(ParseSize(tokens_, what, 0x7fffffff));
  };
  if (tokens_.AcceptDot("maxntid")) {
    function.max_threads = Dimensions(".maxntid");
  } else if (tokens_.AcceptDot("reqntid")) {
    function.required_threads = Dimensions(".reqntid");
  } else if (tokens_.AcceptDot("reqnctapercluster")) {
    function.required_cluster = Dimensions(".reqnctapercluster");
  } else if (tokens_.AcceptDot("minnctapersm")) {
    function.min_ctas = number(".minnctapersm");
  } else if (tokens_.AcceptDot("maxnreg")) {
    function.max_registers = number(".maxnreg");
  } else if (tokens_.AcceptDot("maxclusterrank")) {
    function.max_cluster = number(".maxclusterrank");
  } else if (tokens_.AcceptDot("explicitcluster")) {
    function.explicit_cluster = true;
  } else if (tokens_.Peek().text == "blocksareclusters") {
    tokens_.Fail(".blocksareclusters is not supported");
  } else if (tokens_.AcceptDot("maxnctapersm") || tokens_.AcceptDot("abi_preserve") ||
             tokens_.AcceptDot("abi_preserve_control")) {
    number("the number of a directive");
  } else {
    return tokens_.AcceptDot("noreturn") || tokens_.AcceptDot("unified");
  }
  return true;
}

void Parser::Finish() {
  for (const Awaited& name : awaited_) {
    if (!names_.contains(name.name)) throw SyntaxError(name.line, "'" + name.name + "' is not declared");
  }
  for (const AliasOf& alias : aliases_) {
    const Function* of = module_->Find(alias.of);
    if (of == nullptr || of->declared_only) throw SyntaxError(alias.line, "'" + alias.of + "' is not defined");
    if (of->unread) throw SyntaxError(alias.line, "'" + alias.of + "' is a kernel");
    Function copy = *of;
    copy.name = alias.alias;
    module_->functions.push_back(std::move(copy));
  }
}

}  // namespace emu::ptx
