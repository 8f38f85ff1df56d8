#!/bin/sh
# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
#
# Builds everything with sanitizers, and runs as many tests and damaged inputs over it as the time
# allows. The gate (.ci/run) has a sample of this.
#
#   sh scripts/sanitize.sh WORK_FOLDER [MINUTES, 60 unless told] [PART...]
#
# The parts, all of them in this order unless some are named:
#
#   address  builds with address and undefined behaviour, and runs the C tests
#   thread   the same with the thread sanitizer
#   python   the tests of backends, runtime, optimiser, importers, loader and probe on the first
#   races    the tests that run threads on the second
#   fuzz     random plans and damaged files on the first, side by side, as long as time is left, but
#            three minutes of each in any case
#
# JOBS processes at a time, all processors unless told. Wants what ".[dev]" installs. Ends with 0 if
# no sanitizer said anything and nothing failed; what happened is in WORK_FOLDER/*.log and report.*.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/scripts/jobs.sh" # they end with this script
mkdir -p "$1"
work=$(cd "$1" && pwd)
minutes=${2:-60}
[ $# -lt 2 ] || shift
shift
parts=${*:-address thread python races fuzz}
end=$(($(date +%s) + minutes * 60))
python=${PYTHON:-python3}
compiler=${CC:-cc}
jobs=${JOBS:-$(nproc)}
ln -sfn "$here" "$work/src" # one path for all builds, see tests/builds.py
rm -f "$work/failed"

# attempt NAME COMMAND...: its output in a file, and one line on how it ended and how long it took.
attempt() {
  name=$1
  shift
  begin=$(date +%s)
  if "$@" >"$work/$name.log" 2>&1; then
    echo "$name ($(($(date +%s) - begin)) s): $(tail -n 1 "$work/$name.log")"
  else
    echo "$name ($(($(date +%s) - begin)) s): FAILED, see $work/$name.log"
    tail -n 3 "$work/$name.log"
    echo "$name" >>"$work/failed"
  fi
}

# build KIND SANITIZERS: a tree with the C tests, and the files of the package beside it.
build() {
  attempt "build-$1" sh -c 'cmake -S "$1/src" -B "$2" -G Ninja -DARMNN_WERROR=ON \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DARMNN_BUILD_TESTS=ON -DARMNN_SANITIZE="$3" \
    -DARMNN_CPU_ACC_MATRICES_IN_C=ON \
    && cmake --build "$2" --target all armnn_native_tests armnn_backend_tests armnn_acc_operators \
    --parallel "$4" && cmake --install "$2" --prefix "$2/stage"' sh "$work" "$work/$1" "$2" "$jobs"
  attempt "ctest-$1" ctest --test-dir "$work/$1" --output-on-failure --no-tests=error \
    --parallel "$jobs"
}

# Python is not instrumented: the sanitizer's library comes first, and leaks of Python are not told.
# A backend in C++ brings libstdc++ later than the address sanitizer looks for what throws.
on_address() {
  env LD_PRELOAD="$("$compiler" -print-file-name=libasan.so) $("$compiler" -print-file-name=libstdc++.so)" \
    ASAN_OPTIONS=detect_leaks=0,allocator_may_return_null=1,log_path="$work/report" \
    UBSAN_OPTIONS=halt_on_error=1,print_stacktrace=1,log_path="$work/report" ARMNN_TEST_SANITIZE=address,undefined \
    CPU_ACC_OPERATORS="$work/address/tests/cpu_acc/armnn_acc_operators.so" \
    PYTHONPATH="$here:$work/address/stage" "$@"
}
# A race ends the process with an error; pytest would keep the words to itself.
on_thread() {
  env LD_PRELOAD="$("$compiler" -print-file-name=libtsan.so)" ARMNN_TEST_SANITIZE=thread \
    TSAN_OPTIONS=halt_on_error=1,allocator_may_return_null=1,die_after_fork=0,log_path="$work/race" \
    CPU_ACC_OPERATORS="$work/thread/tests/cpu_acc/armnn_acc_operators.so" \
    PYTHONPATH="$here:$work/thread/stage" "$@"
}
# tests KIND NAME ARGUMENTS...: pytest on the library of one kind; files go to the processes, as in
# the gate.
tests() {
  kind=$1 name=$2
  shift 2
  attempt "pytest-$kind-$name" "on_$kind" "$python" -m pytest -q --exhaustive -p no:cacheprovider \
    -m 'not models' --timeout 1800 -n "$jobs" --dist loadfile --no-loadscope-reorder "$@"
}

# Four tests want memory that shares its last page with others to be readable behind its end, which
# is what the address sanitizer guards.
without=""
for name in a_callers_array_at_the_end_of_memory room_with_an_end \
  constants_are_copied_where_nothing_follows bound_arrays_have_room_behind_them; do
  without="$without --deselect tests/unit/runtime/test_requirements.py::test_$name"
done

part_address() { build address address,undefined; }
part_thread() { build thread thread; }

part_python() {
  rm -f "$work"/report.* # pytest would keep the words of a process that ends to itself
  # A sanitizer takes signals for itself: of the tests of probes those without.
  probes="tests/loader/test_admission.py tests/loader/test_report.py"
  ARMNN_PY_PROBE_SECONDS=0
  export ARMNN_PY_PROBE_SECONDS
  tests address loader tests/loader -k 'not faults_end_as_elsewhere' \
    $(printf -- '--ignore=%s ' tests/loader/test_probe.py tests/loader/test_probe_cache.py \
      tests/loader/test_probe_cache_file.py tests/loader/test_probe_interrupts.py $probes)
  unset ARMNN_PY_PROBE_SECONDS
  tests address probes $probes
  tests address state tests/lifecycle/test_process_state.py
  tests address probe -k 'good or forks or closes or nowhere or return' tests/loader/test_probe.py
  for folder in cpu_ref samples unit/runtime unit/optimizer unit/backends frontends cpu_acc; do
    tests address "$(echo $folder | tr / -)" $without "tests/$folder"
  done
}

part_races() {
  rm -f "$work"/race.*
  tests thread samples -k 'not address' tests/samples # their programs have another sanitizer
  tests thread unit-runtime tests/unit/runtime
  tests thread networks tests/cpu_acc/test_random_networks.py \
    tests/cpu_acc/test_random_quantized_networks.py
  ! cat "$work"/race.* 2>/dev/null | head -n 100 | grep . || echo races >>"$work/failed"
}

part_fuzz() {
  seed=1
  while [ $seed = 1 ] || [ "$(date +%s)" -lt "$end" ]; do
    attempt "plans-$seed" env ARMNN_TEST_SEED=$seed ARMNN_TEST_PLANS=400000 \
      "$(find "$work/address" -name test_plan_fuzz -type f | head -n 1)" &
    for format in onnx armnn so; do
      attempt "fuzz-$format-$seed" on_address "$python" scripts/fuzz.py $format --minutes 3 \
        --seed $seed --findings "$work/findings/$format" &
    done
    wait
    [ ! -e "$work/failed" ] || return 0
    seed=$((seed + 1))
  done
}

cd "$here"
for part in $parts; do
  command -v "part_$part" >/dev/null && continue
  echo "unknown part '$part'; the head of this file names them" >&2
  exit 2
done
for part in $parts; do
  "part_$part"
done
[ ! -e "$work/failed" ] || { echo "failed: $(tr '\n' ' ' <"$work/failed")"; exit 1; }
