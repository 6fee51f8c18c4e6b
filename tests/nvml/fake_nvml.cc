// A libnvidia-ml.so.1 for tests: one GPU that draws 500 W at 1700 MHz and counts its energy in steps of 20 ms,
// as real ones do in steps of tens of milliseconds.
#include <chrono>
#include <cstdio>

extern "C" {

int nvmlInit_v2() { return 0; }

int nvmlDeviceGetHandleByPciBusId_v2(const char*, void** device) {
  static int gpu;
  *device = &gpu;
  return 0;
}

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  std::snprintf(text, length, "580.0.0");
  return 0;
}

int nvmlDeviceGetClockInfo(void*, unsigned, unsigned* mhz) {
  *mhz = 1700;
  return 0;
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 500000;
  return 0;
}

int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  *milliwatts = 700000;
  return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  using namespace std::chrono;
  const auto steps = duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count() / 20;
  *millijoules = static_cast<unsigned long long>(steps) * 20 * 500;
  return 0;
}

int nvmlDeviceGetTemperature(void*, unsigned, unsigned* celsius) {
  *celsius = 40;
  return 0;
}

}  // extern "C"
