#!/bin/sh
# Build the core with ASan and UBSan and run its C++ tests.
set -eu
cd "$(dirname "$0")/../.."
cmake=$( [ -x .venv/bin/cmake ] && echo .venv/bin/cmake || echo cmake )
ctest=$( [ -x .venv/bin/ctest ] && echo .venv/bin/ctest || echo ctest )
"$cmake" -S . -B build/sanitize -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSAMECORE_TESTS=ON -DSAMECORE_SANITIZE=ON >/dev/null
"$cmake" --build build/sanitize --parallel 2 | grep -E 'warning|error|Error' || true
"$ctest" --test-dir build/sanitize --output-on-failure
