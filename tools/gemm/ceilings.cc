// gemm ceilings: what this GPU can do at best, measured.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/dispatch/query.h"
#include "tools/ceilings/measure.h"
#include "tools/gemm/bench/session.h"
#include "tools/gemm/commands.h"
#include "tools/gemm/exit_code.h"
#include "tools/gemm/flags.h"
#include "tools/gemm/progress.h"
#include "tools/io/write_file.h"

namespace gemm::tool {
namespace {

using Json = nlohmann::ordered_json;

struct Flags {
  ceilings::Options options;
  int device = 0;
  std::string out;
};

Json RateJson(const ceilings::Rate& rate) {
  Json json = {{"rate", rate.rate}};
  if (rate.mhz) json["mhz"] = *rate.mhz;
  if (rate.watts) json["watts"] = *rate.watts;
  return json;
}

Json CeilingJson(const ceilings::Ceiling& ceiling) {
  Json json = {{"name", ceiling.name}, {"unit", ceiling.unit}, {"what", ceiling.what}};
  if (!ceiling.missing.empty()) json["missing"] = ceiling.missing;
  if (ceiling.blocks_per_sm > 0) json["blocks_per_sm"] = ceiling.blocks_per_sm;
  if (ceiling.burst) json["burst"] = RateJson(*ceiling.burst);
  if (ceiling.sustained) json["sustained"] = RateJson(*ceiling.sustained);
  return json;
}

Json DeviceJson(const dispatch::Device& device, const nvml::Gpu& nvml) {
  Json json = {{"name", device.name},
               {"compute_capability",
                fmt::format("{}.{}", device.compute_capability_major, device.compute_capability_minor)},
               {"sms", device.sm_count},
               {"l2_bytes", device.l2_bytes},
               {"max_sm_mhz", device.sm_clock_mhz},
               {"datasheet_gbs", device.memory_bandwidth_gbs}};
  if (const auto watts = nvml.PowerLimitWatts()) json["power_limit_watts"] = *watts;
  if (const auto mhz = nvml.MemoryClockMhz()) json["memory_mhz"] = *mhz;
  return json;
}

std::string RateText(const std::optional<ceilings::Rate>& rate) {
  if (!rate) return fmt::format("{:>9} {:>6} {:>6}", "-", "-", "-");
  return fmt::format("{:>9.1f} {:>6} {:>6}", rate->rate, rate->mhz ? fmt::format("{:.0f}", *rate->mhz) : "-",
                     rate->watts ? fmt::format("{:.0f}", *rate->watts) : "-");
}

void Print(const std::vector<ceilings::Ceiling>& measured) {
  fmt::print("{:<12} {:<8} {:>9} {:>6} {:>6} {:>9} {:>6} {:>6}  what\n", "ceiling", "unit", "burst", "MHz", "W",
             "sustained", "MHz", "W");
  for (const ceilings::Ceiling& one : measured) {
    fmt::print("{:<12} {:<8} {} {}  {}\n", one.name, one.unit, RateText(one.burst), RateText(one.sustained),
               one.missing.empty() ? one.what : one.missing);
  }
}

int RunCeilings(const Flags& flags) {
  Status status = ceilings::Check(flags.options);
  if (!status.ok()) return Fail(status);
  // The session of gemm bench without a rival and without products: a context and the meters.
  bench::Bench session;
  session.options.device = flags.device;
  session.options.versus = "none";
  bench::Circumstances circumstances;
  status = bench::Open(&session, &circumstances);
  dispatch::Device device;
  if (status.ok()) status = dispatch::QueryDevice(flags.device, &device);
  if (!status.ok()) return Fail(status);
  circumstances.protocol = ceilings::ProtocolText(flags.options);
  fmt::print("command   {}\ndate      {}, libgemm {}\ndevice    {}\ndriver    {}\nmeters    {}\nprotocol  {}\n",
             circumstances.command, circumstances.date, circumstances.library, circumstances.device,
             circumstances.driver, circumstances.meters, circumstances.protocol);
  std::vector<ceilings::Ceiling> measured;
  {
    Progress progress("ceilings");
    status = ceilings::Measure(
        flags.options, device, flags.device, session.nvml,
        [&](double part, const std::string& what) { progress.Update(part, what); }, &measured);
  }
  if (!status.ok()) return Fail(status);
  Print(measured);
  if (flags.out.empty()) return kOk;
  Json json = {{"command", circumstances.command}, {"date", circumstances.date},
               {"libgemm", circumstances.library}, {"device", DeviceJson(device, session.nvml)},
               {"driver", circumstances.driver},   {"protocol", circumstances.protocol},
               {"ceilings", Json::array()}};
  for (const ceilings::Ceiling& one : measured) json["ceilings"].push_back(CeilingJson(one));
  status = io::WriteFile(flags.out, json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n", "");
  return status.ok() ? kOk : Fail(status);
}

}  // namespace

void AddCeilingsCommand(CLI::App* app, Command* command) {
  const auto flags = std::make_shared<Flags>();
  Subcommand sub(app, "ceilings", "measure what this GPU can do at best");
  ceilings::Options& options = flags->options;
  sub.Add("--out", &flags->out, "write the result to FILE.json").Takes("FILE");
  sub.Add("--burst-ms", &options.burst_ms, "length of a burst (default 20)");
  sub.Add("--bursts", &options.bursts, "bursts, whose median counts (default 5)");
  sub.Add("--rest-ms", &options.rest_ms, "rest before each burst (default 300)");
  sub.Add("--sustained-ms", &options.sustained_ms, "length of the long run; 0 leaves it out (default 2000)");
  sub.Add("--memory-mib", &options.memory_mib,
          "device memory to stream through (default 4096, or a quarter of what is free)");
  sub.Add("--device", &flags->device, "number of the GPU (default 0)");
  sub.Runs(command, [flags] { return RunCeilings(*flags); });
}

}  // namespace gemm::tool
