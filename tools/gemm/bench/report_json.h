// The parts that JSON reports share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/gemm/bench/case.h"
#include "tools/gemm/bench/report.h"

namespace gemm::tool::bench {

nlohmann::ordered_json CircumstancesJson(const Circumstances& circumstances);
nlohmann::ordered_json EntrantJson(const EntrantResult& entrant);
// The whole report's text. An infinite error is written as null.
std::string JsonText(const nlohmann::ordered_json& report);

}  // namespace gemm::tool::bench
