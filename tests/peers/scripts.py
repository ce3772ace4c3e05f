# perf's shell tests (shell/*.sh, which linux-perf installs), with pt's tools in perf's place: `perf SUB` is pt-SUB where there is one, and perf itself
# for what pt leaves to it (bench, inject, evlist, buildid-cache, stat record, ...), so that each reads what the other writes.
import os
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["PT_TOP"], "tests/lib"))
import peers

SKIPPED = 2     # as perf's tests have it
SECONDS = 100   # of an idle machine

# What tests need of the kernel, which perf's own conditions for leaving them out find only in perf's words.
NEEDS = [("vfs_getname", "/sys/kernel/tracing/kprobe_events", "this kernel has no kprobes")]

WRAPPER = """#!/bin/bash
[ "${1-}" != --no-pager ] || shift
case "${1-} ${2-}" in "stat record"|"stat report") exec %s "$@" ;; esac
if [ "${1-}" = sched ]; then
	case ${2-} in
	map) exec pt-schedmap "${@:3}" ;;
	latency|lat) exec pt-schedlat "${@:3}" ;;
	timehist) exec pt-timehist "${@:3}" ;;
	record) exec pt-record --sched "${@:3}" ;;
	esac
elif [ -x "$PT_BIN/pt-${1-}" ]; then
	exec "$PT_BIN/pt-$1" "${@:2}"
fi
exec %s "$@"
"""


def run(path, bin_folder):
    """Returns (exit status, the last line that was said)."""
    seconds = int(SECONDS * max(1, os.getloadavg()[0] / os.cpu_count()))
    env = {**os.environ, "PATH": bin_folder + ":" + os.environ["PATH"]}
    p = subprocess.Popen(["bash", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                         env=env, start_new_session=True)
    try:
        out = p.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        return 1, "takes longer than %d s" % seconds
    said = [x.strip() for x in out.splitlines() if x.strip()]
    wrong = [x for x in said if x.startswith("pt-") or "FAIL" in x.upper()]
    return p.returncode, (wrong or said or [""])[-1]


def probes():
    said = subprocess.run(["pt-probe", "-l"], capture_output=True, text=True).stdout
    return {line.split()[0] for line in said.splitlines() if line.strip()}


def main():
    tests, perf = peers.folder("shell"), shutil.which("perf")
    peers.need("perf")
    if os.geteuid():
        peers.skip_all("not root")
    os.mkdir("bin")
    with open("bin/perf", "w") as f:
        f.write(WRAPPER.replace("%s", perf))
    os.chmod("bin/perf", 0o755)
    suite = peers.Suite("scripts")
    for name in sorted(n for n in os.listdir(tests) if n.endswith(".sh")):
        missing = [why for word, path, why in NEEDS if word in name and not os.path.exists(path)]
        if missing:
            suite.skip(name, missing[0])
            continue
        before = probes()
        status, said = run(os.path.join(tests, name), os.path.abspath("bin"))
        left = probes() - before    # a test that fails may leave some
        if left:
            subprocess.run(["pt-probe", "-q", "-d", *left])
        if status == SKIPPED and name not in suite.known:
            suite.skip(name, "leaves itself out" + (": " + said if said else ""))
        else:
            suite.result(name, None if status == 0 else "exit status %d: %s" % (status, said))
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
