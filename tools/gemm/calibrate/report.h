// What `gemm calibrate` prints, and its JSON file, from which it can begin again without a GPU.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gemm/status.h"
#include "tools/gemm/calibrate/fit.h"
#include "tools/gemm/calibrate/measurements.h"

namespace gemm::tool::calibrate {

// "1.021x in the geometric mean of 200 products, 1.34x at worst", and a line for each of the `worst` greatest losses.
std::string RegretText(const Regret& regret, std::size_t worst);
// A line for each row.
std::string ResidualsText(const std::vector<Residual>& residuals);
// The constants before and after.
std::string FitText(const Fit& fit);
// The fitted constants as an entry of the model's table of devices, in C++.
std::string EntryText(const Fit& fit, const dispatch::Device& device);

struct Results {
  Regret regret;  // of the device's constants
  std::vector<Residual> residuals;
  std::vector<Fit> fits;  // empty: only reported
  Regret regret_fitted;   // of the fitted constants
};

std::string ToJson(const Measurements& measurements, const Results& results);

// Times that a file has and that nothing can be made of.
struct LeftOut {
  std::size_t unknown = 0;   // of rows that the library does not have
  std::size_t rejected = 0;  // of rows that cannot run the product: predictions of those mean nothing
};

// The measurements in a file that ToJson made, but for those that are left out. kInvalidArgument names the file; it refuses times that are
// not positive numbers.
Status Read(const std::string& path, Measurements* measurements, LeftOut* left_out);

}  // namespace gemm::tool::calibrate
