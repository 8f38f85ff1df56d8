# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
#
# For scripts with jobs in the background, which read this file and start jobs as usual: when the
# script ends, by itself, by Ctrl-C or by another signal, they end too, with all that they have
# started. A shell would leave them: to its jobs Ctrl-C is nothing.

# end_tree PROCESS: it comes before those that it has started, so that it starts no more and tells
# nothing of how these end.
end_tree() {
  # shellcheck disable=SC2046 # numbers
  set -- "$1" $(cat "/proc/$1/task/"*/children 2>/dev/null)
  kill "$1" 2>/dev/null || true
  shift
  for process in "$@"; do end_tree "$process"; done
}

end_jobs() {
  for process in $(cat "/proc/$$/task/"*/children 2>/dev/null); do end_tree "$process"; done
}
trap end_jobs EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
