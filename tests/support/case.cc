#include "tests/support/case.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>

#include "common/base/data_type.h"

namespace gemm::tests {
namespace {

constexpr std::size_t kMostCasesOfALine = 4096;

struct Key {
  const char* name;
  const char* fallback;  // "": depends on other keys
};

// In the order of the canonical line; the sizes come first and without a name.
constexpr Key kKeys[] = {
    {"m", nullptr},     {"n", nullptr},      {"k", nullptr},
    {"in", "bf16"},     {"out", "same"},     {"a", "r"},
    {"b", "c"},         {"d", "r"},          {"c", "same"},
    {"lda", "+0"},      {"ldb", "+0"},       {"ldd", "+0"},
    {"ldc", "+0"},      {"offa", "0"},       {"offb", "0"},
    {"offd", "0"},      {"offc", "0"},       {"batch", "1"},
    {"sa", "packed"},   {"sb", "packed"},    {"sd", "packed"},
    {"sc", "packed"},   {"alpha", "1"},      {"beta", "0"},
    {"cmode", ""},      {"scalars", "host"}, {"compute", "tensor"},
    {"fill", "normal"}, {"seed", "1"},
};
constexpr int kSizes = 3;

using Values = std::map<std::string, std::string, std::less<>>;

std::vector<std::string> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

template <typename Number>
bool ParseNumber(std::string_view text, Number* number) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return code == std::errc() && end == text.data() + text.size();
}

// Reads the values of one combination into a Case; the first complaint stays in `error`.
class Reader {
 public:
  Reader(const Values& values, std::string* error) : values_(values), error_(error) {}

  bool Read(Case* result) {
    Case out;
    Problem& p = out.problem;
    p.m = Number<std::int64_t>("m", 0);
    p.n = Number<std::int64_t>("n", 0);
    p.k = Number<std::int64_t>("k", 0);
    p.batch = Number<std::int64_t>("batch", 0);
    const DataType in = Type("in");
    const DataType output = Text("out") == "same" ? in : Type("out");
    p.compute = Choice<ComputeType>(
        "compute",
        {{"tensor", ComputeType::kTensor}, {"fp32", ComputeType::kFP32}, {"tf32", ComputeType::kTF32}});
    p.scalars = Choice<ScalarMode>("scalars", {{"host", ScalarMode::kHost}, {"device", ScalarMode::kDevice}});
    out.alpha = Number<float>("alpha", -std::numeric_limits<float>::infinity());
    out.beta = Number<float>("beta", -std::numeric_limits<float>::infinity());
    out.seed = Number<std::uint64_t>("seed", 0);
    const std::optional<Fill> fill = ParseFill(Text("fill"));
    if (!fill) Complain("fill");
    out.fill = fill.value_or(Fill::kNormal);
    const std::string c_mode = Text("cmode").empty()
                                   ? (out.beta != 0 || p.scalars == ScalarMode::kDevice ? "distinct" : "none")
                                   : Text("cmode");
    out.c_mode = Choice<CMode>("cmode", c_mode,
                               {{"none", CMode::kNone},
                                {"distinct", CMode::kDistinct},
                                {"inplace", CMode::kInPlace},
                                {"poisoned", CMode::kPoisoned}});
    ReadMatrix("a", in, p.m, p.k, &p.a, &out.offset_a);
    ReadMatrix("b", in, p.k, p.n, &p.b, &out.offset_b);
    ReadMatrix("d", output, p.m, p.n, &p.d, &out.offset_d);
    if (out.c_mode == CMode::kInPlace) {
      for (const char* key : {"c", "ldc", "offc", "sc"}) {
        if (!IsDefault(key)) Fail(std::string("'") + key + "' has no meaning with cmode=inplace, where C is D");
      }
      p.c = p.d;
      out.offset_c = out.offset_d;
    } else {
      ReadMatrix("c", output, p.m, p.n, &p.c, &out.offset_c);
    }
    CheckCombination(out);
    *result = std::move(out);
    return error_->empty();
  }

 private:
  const std::string& Text(const char* key) const { return values_.find(key)->second; }

  bool IsDefault(std::string_view name) const {
    for (const Key& key : kKeys) {
      if (name == key.name && key.fallback != nullptr) return values_.find(name)->second == key.fallback;
    }
    return false;
  }

  void Fail(const std::string& sentence) {
    if (error_->empty()) *error_ = sentence;
  }
  void Complain(const char* key) { Fail("'" + Text(key) + "' is no value of '" + key + "'"); }

  template <typename T>
  T Number(const char* key, T least) {
    T number{};
    if (!ParseNumber(Text(key), &number) || number < least) Complain(key);
    return number;
  }

  template <typename T>
  T Choice(const char* key, const std::string& text, const std::map<std::string, T>& choices) {
    const auto found = choices.find(text);
    if (found != choices.end()) return found->second;
    Complain(key);
    return choices.begin()->second;
  }
  template <typename T>
  T Choice(const char* key, const std::map<std::string, T>& choices) {
    return Choice(key, Text(key), choices);
  }

  DataType Type(const char* key) {
    return Choice<DataType>(key,
                            {{"fp32", DataType::kFP32}, {"fp16", DataType::kFP16}, {"bf16", DataType::kBF16}});
  }

  void ReadMatrix(const std::string& name, DataType type, std::int64_t rows, std::int64_t cols, Matrix* matrix,
                  int* offset) {
    const std::string& layout = name == "c" && Text("c") == "same" ? Text("d") : Text(name.c_str());
    matrix->type = type;
    matrix->layout =
        Choice<Layout>(name.c_str(), layout, {{"r", Layout::kRowMajor}, {"c", Layout::kColumnMajor}});
    const bool row_major = matrix->layout == Layout::kRowMajor;
    const std::int64_t inner = row_major ? cols : rows;
    const std::int64_t outer = row_major ? rows : cols;
    matrix->ld = inner + Number<std::int64_t>(("ld" + name).c_str(), 0);
    const std::string stride_key = "s" + name;
    const std::string& stride = Text(stride_key.c_str());
    if (stride == "packed") {
      matrix->batch_stride = kPacked;
    } else if (stride == "0") {
      matrix->batch_stride = 0;
    } else if (stride.starts_with("+")) {
      matrix->batch_stride = outer * matrix->ld + Number<std::int64_t>(stride_key.c_str(), 0);
    } else {
      Fail("'" + stride + "' is no value of '" + stride_key + "': packed, 0 or +elements");
    }
    *offset = Number<int>(("off" + name).c_str(), 0);
    const int bytes = base::ElementBytes(type);
    if (*offset % bytes != 0 || *offset >= 16) {
      Fail("'off" + name + "' is " + std::to_string(*offset) + "; it must be a multiple of the element's " +
           std::to_string(bytes) + " bytes below 16");
    }
    matrix->alignment = *offset == 0 ? 16 : *offset & -*offset;
  }

  void CheckCombination(const Case& c) {
    const bool reads_c = c.c_mode == CMode::kDistinct || c.c_mode == CMode::kInPlace;
    if (c.beta != 0 && !reads_c) Fail("beta is not 0, so cmode must be distinct or inplace");
    if (c.c_mode == CMode::kNone && c.problem.scalars == ScalarMode::kDevice) {
      Fail("scalars=device needs a C, so cmode must not be none");
    }
    if (c.problem.d.batch_stride == 0 && c.problem.batch > 1)
      Fail("'sd' must not be 0: the matrices of D would overlap");
    if (c.fill == Fill::kIntegers && !IsExactProduct(c.problem, c.alpha, c.beta)) {
      Fail(
          "fill=integers is not exact with this k, alpha and beta: use sixteenths and a smaller k, or "
          "fill=normal");
    }
  }

  const Values& values_;
  std::string* error_;
};

std::string CanonicalLine(const Values& values) {
  std::string line;
  for (int i = 0; i < static_cast<int>(std::size(kKeys)); ++i) {
    const std::string& value = values.find(kKeys[i].name)->second;
    if (i < kSizes) {
      line += (i > 0 ? " " : "") + value;
    } else if (value != kKeys[i].fallback) {
      line += std::string(" ") + kKeys[i].name + "=" + value;
    }
  }
  return line;
}

// The lists of one line, by key; false and a sentence when it cannot be read.
bool ReadLists(std::string_view line, std::vector<std::vector<std::string>>* lists, std::string* error) {
  lists->assign(std::size(kKeys), {});
  int position = 0;
  for (const std::string& word : Split(line, " \t\r")) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      if (position >= kSizes) {
        *error = "'" + word + "' is no key=value";
        return false;
      }
      (*lists)[static_cast<std::size_t>(position++)] = Split(word, ",");
      continue;
    }
    std::size_t key = kSizes;
    while (key < std::size(kKeys) && word.substr(0, equals) != kKeys[key].name) ++key;
    if (key == std::size(kKeys)) {
      *error = "'" + word.substr(0, equals) + "' is no key; there are";
      for (std::size_t i = kSizes; i < std::size(kKeys); ++i) *error += std::string(" ") + kKeys[i].name;
      return false;
    }
    if (!(*lists)[key].empty()) {
      *error = "'" + word.substr(0, equals) + "' is given twice";
      return false;
    }
    (*lists)[key] = Split(std::string_view(word).substr(equals + 1), ",");
  }
  if (position < kSizes) {
    *error = "a case starts with three sizes: m n k";
    return false;
  }
  for (std::size_t i = 0; i < std::size(kKeys); ++i) {
    if ((*lists)[i].empty()) (*lists)[i] = {kKeys[i].fallback};
  }
  return true;
}

}  // namespace

bool ParseCaseLine(std::string_view line, const std::string& origin, std::vector<Case>* cases,
                   std::string* error) {
  error->clear();
  line = line.substr(0, line.find('#'));
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return true;
  std::vector<std::vector<std::string>> lists;
  if (!ReadLists(line, &lists, error)) return false;
  std::size_t combinations = 1;
  for (const auto& list : lists) {
    combinations *= list.size();
    if (combinations > kMostCasesOfALine) {
      *error = "the lists multiply to more than " + std::to_string(kMostCasesOfALine) + " cases";
      return false;
    }
  }
  for (std::size_t index = 0; index < combinations; ++index) {
    Values values;
    std::size_t rest = index;
    for (std::size_t i = 0; i < std::size(kKeys); ++i) {
      values[kKeys[i].name] = lists[i][rest % lists[i].size()];
      rest /= lists[i].size();
    }
    Case one;
    if (!Reader(values, error).Read(&one)) return false;
    one.origin = origin;
    one.line = CanonicalLine(values);
    cases->push_back(std::move(one));
  }
  return true;
}

bool ParseCaseTable(std::string_view text, const std::string& file, std::vector<Case>* cases,
                    std::string* error) {
  int number = 0;
  for (const std::string& line : Split(text, "\n")) {
    const std::string origin = file + ":" + std::to_string(++number);
    if (!ParseCaseLine(line, origin, cases, error)) {
      *error = origin + ": " + *error;
      return false;
    }
  }
  return true;
}

}  // namespace gemm::tests
