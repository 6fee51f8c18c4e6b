#include "tools/gemm/calibrate/report.h"

#include <fmt/core.h>

#include "tools/gemm/problem.h"

namespace gemm::tool::calibrate {

std::string RegretText(const Regret& regret, std::size_t worst) {
  if (regret.losses.empty()) return "no products\n";
  std::string text = fmt::format("{:.3f}x in the geometric mean of {} products, {:.3f}x at worst\n",
                                 regret.mean, regret.losses.size(), regret.losses.front().ratio());
  for (const Loss& loss : regret.losses) {
    if (worst-- == 0 || loss.chosen == loss.best) break;
    text += fmt::format("  {:.3f}x  {:<44} {} {:.2f} us; best {} {:.2f} us\n", loss.ratio(),
                        ProblemText(loss.product->problem), loss.chosen->row->name, loss.chosen->us,
                        loss.best->row->name, loss.best->us);
  }
  return text;
}

std::string ResidualsText(const std::vector<Residual>& residuals) {
  std::string text =
      fmt::format("  {:<52} {:>6} {:>20} {:>10}\n", "row", "times", "measured / predicted", "rms of log");
  for (const Residual& residual : residuals) {
    text += fmt::format("  {:<52} {:>6} {:>19.3f}x {:>9.1f}%\n", residual.row->name, residual.times,
                        residual.ratio, 100 * residual.deviation);
  }
  return text;
}

std::string FitText(const Fit& fit) {
  std::string text =
      fmt::format("{}: {} times, root mean square {:.1f}% before, {:.1f}% after\n", fit.model->name, fit.times,
                  100 * fit.deviation_before, 100 * fit.deviation_after);
  for (std::size_t i = 0; i < fit.before.size(); ++i) {
    text += fmt::format("  {:<32} {:>12.6g} {:>12.6g}  {:.3f}x\n", fit.model->constant(i), fit.before[i],
                        fit.after[i], fit.after[i] / fit.before[i]);
  }
  return text;
}

std::string EntryText(const Fit& fit, const dispatch::Device& device) {
  std::string fields;
  for (std::size_t i = 0; i < fit.after.size(); ++i)
    fields += fmt::format("{}.{} = {:.4g}", i == 0 ? "" : ", ", fit.model->constant(i), fit.after[i]);
  return fmt::format("{{\"{}\", {{{}}}}},\n", device.name, fields);
}

}  // namespace gemm::tool::calibrate
