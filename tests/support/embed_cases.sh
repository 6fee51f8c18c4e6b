#!/bin/bash
# Writes C++ that holds the given case tables, so that a test binary runs alone on a bare machine.
set -euo pipefail
echo '#include "tests/support/case.h"'
echo 'namespace gemm::tests {'
echo 'const std::vector<CaseFile>& EmbeddedCaseFiles() {'
echo '  static const std::vector<CaseFile> files = {'
for file in "$@"; do
  printf '      {"%s", R"cases(' "$file"
  cat "$file"
  echo ')cases"},'
done
echo '  };'
echo '  return files;'
echo '}'
echo '}  // namespace gemm::tests'
