#!/bin/sh
# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
#
# Builds everything with sanitizers, and runs as many tests and damaged inputs over it as the time
# allows: the C tests, random plans, the tests of kernels, runtime, importers and loader, and
# scripts/fuzz.py. The gate (.ci/run) has a sample of this.
#
#   sh scripts/sanitize.sh WORK_FOLDER [MINUTES, 60 unless told]
#
# Wants what ".[dev]" installs. Ends with 0 if no sanitizer said anything and nothing failed; what
# happened is in WORK_FOLDER/*.log.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)
minutes=${2:-60}
python=${PYTHON:-python3}
compiler=${CC:-cc}
code=0

# attempt NAME COMMAND...: its output in a file, and one line on how it ended.
attempt() {
  name=$1
  shift
  if "$@" >"$work/$name.log" 2>&1; then
    echo "$name: $(tail -n 1 "$work/$name.log")"
  else
    echo "$name: FAILED, see $work/$name.log"
    tail -n 3 "$work/$name.log"
    code=1
  fi
}

# build KIND: a tree with the C tests, and the files of the package beside it.
build() {
  attempt "build-$1" sh -c 'cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DARMNN_BUILD_TESTS=ON -DARMNN_SANITIZE="$3" && cmake --build "$2" --target all \
    armnn_native_tests armnn_backend_tests && cmake --install "$2" --prefix "$2/stage"' \
    sh "$here" "$work/$1" "$2"
  attempt "ctest-$1" ctest --test-dir "$work/$1" --output-on-failure --no-tests=error
}

# Python is not instrumented: the sanitizer's library comes first, and leaks of Python are not told.
tests() {
  attempt "pytest-$1-$2" env LD_PRELOAD="$("$compiler" -print-file-name="$3")$4" \
    PYTHONPATH="$here:$work/$1/stage" ARMNN_TEST_SANITIZE="$5" \
    ASAN_OPTIONS=detect_leaks=0,allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1 \
    TSAN_OPTIONS=halt_on_error=1 ARMNN_PY_PROBE_SECONDS=0 \
    "$python" -m pytest -q -p no:cacheprovider -m 'not models' $6
}

build address address,undefined
build thread thread
cpp=" $("$compiler" -print-file-name=libstdc++.so)"
cd "$here"
for folder in cpu_ref cpu_acc unit/runtime unit/optimizer frontends samples; do
  tests address "$(echo $folder | tr / -)" libasan.so "$cpp" address,undefined "tests/$folder"
done
# Trials of files are left out: a sanitizer takes signals for itself.
tests address loader libasan.so "$cpp" address,undefined \
  "tests/loader --ignore=tests/loader/test_probe.py --ignore=tests/loader/test_probe_cache.py"
for folder in unit/runtime samples; do
  tests thread "$(echo $folder | tr / -)" libtsan.so "" thread "tests/$folder"
done

# What is left of the time goes to random plans and damaged files, in turn.
end=$(($(date +%s) + minutes * 60))
seed=1
while [ "$(date +%s)" -lt $end ] && [ $code = 0 ]; do
  attempt "plans-$seed" env ARMNN_TEST_SEED=$seed ARMNN_TEST_PLANS=400000 \
    "$(find "$work/address" -name test_plan_fuzz -type f | head -n 1)"
  for format in onnx armnn so; do
    attempt "fuzz-$format-$seed" env LD_PRELOAD="$("$compiler" -print-file-name=libasan.so)$cpp" \
      PYTHONPATH="$here:$work/address/stage" ASAN_OPTIONS=detect_leaks=0 \
      UBSAN_OPTIONS=halt_on_error=1 "$python" scripts/fuzz.py $format --minutes 3 --seed $seed \
      --findings "$work/findings"
  done
  seed=$((seed + 1))
done
exit $code
