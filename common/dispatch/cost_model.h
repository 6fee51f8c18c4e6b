// Predictions whose constants can be fitted to measurements: what `gemm calibrate` needs to know of a family's model.
//
// A model is a struct of named doubles and a function that predicts from one. The constants of known devices are a table in
// the code: the choice of a kernel stays a function of the device, the problem and the options.
#pragma once

#include <cstddef>
#include <iterator>

#include "common/dispatch/device.h"
#include "common/dispatch/kernel.h"

namespace gemm::dispatch {

// A model without its types. Values are in the order of the names.
struct CostModel {
  const char* name;  // the file that has the struct
  std::size_t count;
  const char* (*constant)(std::size_t index);
  // The constants that KernelFamily::predict_us takes for the device.
  void (*get)(const Device& device, double* values);
  // What KernelFamily::predict_us predicts with these values, before a correction, for the launch that the plan makes: what the model
  // itself decides about a launch (how K is cut) is still decided by the device's constants, or it would not be the launch that was
  // measured.
  double (*predict_us)(const KernelRow& row, const problem::Normalized& problem, const Device& device,
                       const double* values);
  // A launch in numbers, which a correction of the prediction is learned from; the first is log2 of the microseconds that the
  // model predicts without one.
  std::size_t feature_count;
  const char* (*feature)(std::size_t index);
  void (*get_features)(const KernelRow& row, const problem::Normalized& problem, const Device& device,
                       float* features);
};

template <class Constants>
struct NamedConstant {
  const char* name;
  double Constants::*field;
};

// `Traits` has
//   using Constants = ...                       a struct of doubles
//   static constexpr const char* kName
//   static constexpr NamedConstant<Constants> kFields[]        all of them
//   static const Constants& For(const Device& device)
//   static double PredictUs(row, problem, device, const Constants&)
//   static constexpr const char* kFeatures[]    names
//   static void GetFeatures(row, problem, device, float*)
template <class Traits>
struct CostModelOf {
  using Constants = typename Traits::Constants;
  static constexpr std::size_t kCount = std::size(Traits::kFields);
  static_assert(kCount * sizeof(double) == sizeof(Constants), "a field has no name, or one has two");

  static const char* Constant(std::size_t index) { return Traits::kFields[index].name; }
  static void Get(const Device& device, double* values) {
    const Constants& constants = Traits::For(device);
    for (std::size_t i = 0; i < kCount; ++i) values[i] = constants.*Traits::kFields[i].field;
  }
  static double PredictUs(const KernelRow& row, const problem::Normalized& problem, const Device& device,
                          const double* values) {
    Constants constants;
    for (std::size_t i = 0; i < kCount; ++i) constants.*Traits::kFields[i].field = values[i];
    return Traits::PredictUs(row, problem, device, constants);
  }

  static const char* Feature(std::size_t index) { return Traits::kFeatures[index]; }

  static constexpr CostModel kModel = {
      Traits::kName,      kCount, Constant, Get, PredictUs, std::size(Traits::kFeatures), Feature,
      Traits::GetFeatures};
};

// The constants of the devices whose names begin so.
template <class Constants>
struct DeviceConstants {
  const char* device;
  Constants constants;
};

// Those of the first entry where the device is not in the table.
template <class Constants, std::size_t count>
const Constants& ConstantsFor(const DeviceConstants<Constants> (&table)[count], const Device& device) {
  for (const DeviceConstants<Constants>& entry : table) {
    if (device.name.rfind(entry.device, 0) == 0) return entry.constants;
  }
  return table[0].constants;
}

}  // namespace gemm::dispatch
