#!/bin/sh
# Run every fuzzer for FUZZ_SECONDS (30 by default) at each instruction set, under ASan and UBSan.
set -eu
cd "$(dirname "$0")/../.."
cmake=$( [ -x .venv/bin/cmake ] && echo .venv/bin/cmake || echo cmake )
"$cmake" -S . -B build/sanitize -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSAMECORE_TESTS=ON -DSAMECORE_SANITIZE=ON >/dev/null
"$cmake" --build build/sanitize --parallel 2 | grep -E 'warning|error|Error' || true
for fuzzer in build/sanitize/fuzz_*; do
  [ -x "$fuzzer" ] && [ -f "$fuzzer" ] || continue
  for level in portable avx2 avx512; do
    echo "$(basename "$fuzzer") at $level for ${FUZZ_SECONDS:-30} s"
    SAMECORE_CPU=$level "$fuzzer" "${FUZZ_SECONDS:-30}" "${FUZZ_SEED:-1}"
  done
done
