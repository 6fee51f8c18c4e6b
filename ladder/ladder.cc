#include "ladder/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "common/dispatch/query.h"
#include "tools/gemm/bench/entrant.h"
#include "tools/gemm/problem.h"

namespace gemm::ladder {
namespace {

using tool::bench::Bench;
using tool::bench::Entrant;
using tool::bench::Entrants;
using tool::bench::Side;

Status Refuse(const std::string& text) { return Status(StatusCode::kInvalidArgument, text); }

std::string NamesOf(DataType type) {
  std::string names;
  for (const Rung& rung : Rungs()) {
    if (rung.in == type) names += (names.empty() ? "" : ", ") + rung.name;
  }
  return names;
}

Status ChooseRungs(const Options& options, DataType type, std::vector<const Rung*>* chosen) {
  for (const Rung& rung : Rungs()) {
    if (options.rungs.empty() && rung.in == type && (options.sweeps || !rung.sweep)) chosen->push_back(&rung);
  }
  for (const std::string& name : options.rungs) {
    const auto is_it = [&](const Rung& rung) { return rung.name == name && rung.in == type; };
    const auto found = std::find_if(Rungs().begin(), Rungs().end(), is_it);
    if (found == Rungs().end()) {
      return Refuse(fmt::format("--rungs has '{}'; for {} there are {}", name, Name(type), NamesOf(type)));
    }
    chosen->push_back(&*found);
  }
  return Status();
}

bool SameProblem(const Problem& a, const Problem& b) {
  return a.a.type == b.a.type && a.d.type == b.d.type && a.b.layout == b.b.layout;
}

Status AddRung(const Bench& bench, const Problem& problem, const Rung& rung, Entrants* entrants) {
  dispatch::Device device;
  Status status = dispatch::QueryDevice(bench.options.device, &device);
  if (!status.ok()) return status;
  auto entrant = std::make_unique<Entrant>();
  entrant->result.side = Side::kRung;
  entrant->result.name = rung.name;
  entrant->result.detail = rung.idea;
  std::string& failure = entrant->result.failure;
  failure = Reject(rung, device);
  if (failure.empty()) failure = Reject(rung, problem);
  if (failure.empty()) {
    status = Prepare(rung, problem, bench.options.device, &entrant->launch);
    failure = status.message();
  }
  entrants->push_back(std::move(entrant));
  return Status();
}

}  // namespace

Status ParseSize(const std::string& text, io::Shape* size) {
  std::int64_t numbers[3] = {};
  int count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (bool more = true; more && count < 3; ++count) {
    const auto [next, error] = std::from_chars(at, end, numbers[count]);
    if (error != std::errc() || numbers[count] < 1) {
      count = 0;
      break;
    }
    more = next != end && *next == 'x' && count < 2;
    at = next + more;
  }
  if (at != end || (count != 1 && count != 3))
    return Refuse(fmt::format("--sizes has '{}'; N and MxNxK are allowed, from 1", text));
  size->m = numbers[0];
  size->n = count == 3 ? numbers[1] : numbers[0];
  size->k = count == 3 ? numbers[2] : numbers[0];
  return Status();
}

Status ListGroups(const Options& options, std::vector<Group>* groups) {
  DataType type;
  if (!tool::ParseType(options.type, &type)) {
    return Refuse(fmt::format("--type is '{}'; fp32, fp16 and bf16 are allowed", options.type));
  }
  std::vector<const Rung*> rungs;
  if (Status status = ChooseRungs(options, type, &rungs); !status.ok()) return status;
  for (const std::string& text : options.sizes) {
    io::Shape size;
    if (Status status = ParseSize(text, &size); !status.ok()) return status;
    const std::size_t first = groups->size();
    for (const Rung* rung : rungs) {
      const Problem problem = ProblemOf(*rung, size.m, size.n, size.k);
      const auto same = std::find_if(groups->begin() + static_cast<std::ptrdiff_t>(first), groups->end(),
                                     [&](const Group& group) { return SameProblem(group.problem, problem); });
      if (same == groups->end()) {
        groups->push_back({problem, {rung}});
      } else {
        same->rungs.push_back(rung);
      }
    }
  }
  return Status();
}

tool::bench::CaseResult RunGroup(Bench* bench, const Group& group) {
  const auto gather = [&](const Bench& the_bench, const Problem& problem, Entrants* entrants) {
    Status status = tool::bench::AddOurs(the_bench, problem, entrants);
    for (const Rung* rung : group.rungs) {
      if (status.ok()) status = AddRung(the_bench, problem, *rung, entrants);
    }
    return status;
  };
  return tool::bench::RunCase(bench, group.problem, gather, [](double) {});
}

}  // namespace gemm::ladder
