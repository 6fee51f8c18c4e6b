#include <fmt/core.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "common/dispatch/registry.h"
#include "tools/gemm/calibrate/report.h"
#include "tools/gemm/problem.h"
#include "tools/gemm/problem_json.h"

namespace gemm::tool::calibrate {
namespace {

using Json = nlohmann::ordered_json;

Json DeviceJson(const dispatch::Device& device) {
  return {{"name", device.name},
          {"compute_capability_major", device.compute_capability_major},
          {"compute_capability_minor", device.compute_capability_minor},
          {"sm_count", device.sm_count},
          {"l2_bytes", device.l2_bytes},
          {"max_shared_bytes_per_block", device.max_shared_bytes_per_block},
          {"sm_clock_mhz", device.sm_clock_mhz},
          {"memory_bandwidth_gbs", device.memory_bandwidth_gbs}};
}

void ReadDevice(const Json& json, dispatch::Device* device) {
  json.at("name").get_to(device->name);
  json.at("compute_capability_major").get_to(device->compute_capability_major);
  json.at("compute_capability_minor").get_to(device->compute_capability_minor);
  json.at("sm_count").get_to(device->sm_count);
  json.at("l2_bytes").get_to(device->l2_bytes);
  json.at("max_shared_bytes_per_block").get_to(device->max_shared_bytes_per_block);
  json.at("sm_clock_mhz").get_to(device->sm_clock_mhz);
  json.at("memory_bandwidth_gbs").get_to(device->memory_bandwidth_gbs);
}

Json ProductJson(const TimedProduct& product) {
  Json json = ProblemJson(product.problem);
  if (product.b_early) json["b_early"] = true;
  json["us"] = Json::object();
  for (const TimedRow& timed : product.rows) json["us"][timed.row->name] = timed.us;
  return json;
}

// The product's times, by the rows of the library.
Status ReadTimes(const Json& times, const dispatch::Device& device, TimedProduct* product, LeftOut* left_out) {
  std::size_t known = 0;
  for (const dispatch::KernelRow* row : dispatch::Registry()) {
    if (!times.contains(row->name)) continue;
    const Json& us = times.at(row->name);
    if (!us.is_number() || !(us.get<double>() > 0))
      return Status(StatusCode::kInvalidArgument,
                    fmt::format("the time of {} at {} is {}; it must be a positive number", row->name,
                                ProblemText(product->problem), us.dump()));
    ++known;
    if (row->family->reject(*row, product->normalized, device)) {
      ++left_out->rejected;
    } else {
      product->rows.push_back({row, us.get<double>()});
    }
  }
  left_out->unknown += times.size() - known;
  return Status();
}

Status ReadProduct(const Json& json, const dispatch::Device& device, TimedProduct* product, LeftOut* left_out) {
  io::Layouts layouts;
  DataType in, out;
  ComputeType compute;
  if (!io::ParseLayouts(json.at("layout").get<std::string>(), &layouts) ||
      !ParseInput(json.at("in").get<std::string>(), &in, &compute) ||
      !ParseType(json.at("out").get<std::string>(), &out))
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("a product's layout or type is unknown: {}", json.dump()));
  Status status = MakeProblem(layouts, json.at("m"), json.at("n"), json.at("k"), json.at("batch"), in, out,
                              compute, &product->problem);
  product->b_early = json.value("b_early", false);
  if (status.ok()) status = NormalizeProduct(product);
  return status.ok() ? ReadTimes(json.at("us"), device, product, left_out) : status;
}

Json RegretJson(const Regret& regret) {
  Json json = {{"geometric_mean", regret.mean}, {"products", regret.losses.size()}};
  if (!regret.losses.empty()) json["worst"] = regret.losses.front().ratio();
  return json;
}

Json FitJson(const Fit& fit) {
  Json constants = Json::object();
  for (std::size_t i = 0; i < fit.before.size(); ++i)
    constants[fit.model->constant(i)] = {{"before", fit.before[i]}, {"after", fit.after[i]}};
  return {{"model", fit.model->name},
          {"times", fit.times},
          {"deviation_before", fit.deviation_before},
          {"deviation_after", fit.deviation_after},
          {"constants", constants}};
}

}  // namespace

std::string ToJson(const Measurements& measurements, const Results& results) {
  Json json;
  for (const auto& [name, text] : measurements.circumstances) json["circumstances"][name] = text;
  json["device"] = DeviceJson(measurements.device);
  json["regret"] = RegretJson(results.regret);
  if (!results.fits.empty()) json["regret_fitted"] = RegretJson(results.regret_fitted);
  json["fits"] = Json::array();
  for (const Fit& fit : results.fits) json["fits"].push_back(FitJson(fit));
  json["residuals"] = Json::array();
  for (const Residual& residual : results.residuals) {
    json["residuals"].push_back({{"row", residual.row->name},
                                 {"times", residual.times},
                                 {"measured_over_predicted", residual.ratio},
                                 {"deviation", residual.deviation}});
  }
  json["products"] = Json::array();
  for (const TimedProduct& product : measurements.products) json["products"].push_back(ProductJson(product));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status Read(const std::string& path, Measurements* measurements, LeftOut* left_out) try {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status(StatusCode::kInvalidArgument, fmt::format("{} cannot be read", path));
  const Json json = Json::parse(file);
  ReadDevice(json.at("device"), &measurements->device);
  for (const auto& [name, text] : json.at("circumstances").items())
    measurements->circumstances.emplace_back(name, text.get<std::string>());
  *left_out = LeftOut();
  for (const Json& one : json.at("products")) {
    TimedProduct product;
    if (const Status status = ReadProduct(one, measurements->device, &product, left_out); !status.ok())
      return Status(status.code(), fmt::format("{}: {}", path, status.message()));
    if (!product.rows.empty()) measurements->products.push_back(std::move(product));
  }
  return Status();
} catch (const nlohmann::json::exception& error) {
  return Status(StatusCode::kInvalidArgument,
                fmt::format("{} is no file of gemm calibrate: {}", path, error.what()));
}

}  // namespace gemm::tool::calibrate
