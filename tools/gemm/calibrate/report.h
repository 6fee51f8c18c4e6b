// What `gemm calibrate` prints, and its JSON file, from which it can begin again without a GPU.
#pragma once

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

// The measurements in a file that ToJson made. Rows that the library no longer has are left out and counted.
// kInvalidArgument names the file.
Status Read(const std::string& path, Measurements* measurements, std::size_t* unknown_rows);

}  // namespace gemm::tool::calibrate
