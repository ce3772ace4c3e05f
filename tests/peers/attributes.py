# perf's attribute tests (attr/test-*, which linux-perf installs): each names a command line and the attributes of the events that it opens. They run with
# pt-record and pt-stat in perf's place. attributes.c, preloaded, writes down the events that a tool opens.
import configparser
import os
import platform
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["PT_TOP"], "tests/lib"))
import peers

ANY_EVENT = {"cpu", "fd", "group_fd"}
SAMPLE_IDENTIFIER, SAMPLE_CPU, SAMPLE_ID, SAMPLE_PERIOD = 1 << 16, 1 << 7, 1 << 6, 1 << 8
FORMAT_TIMES, FORMAT_ID, FORMAT_GROUP, FORMAT_LOST = 3, 4, 8, 16

# Where pt asks for more than perf, or for the same in another place, on purpose. A difference in anything else fails.
#   sample_type: each sample tells its event (IDENTIFIER in the place of ID), CPU and period, so that one reader fits all recordings.
#   read_format: times and losses are read of each event, too.
ADDED_BITS = {
    "sample_type": SAMPLE_IDENTIFIER | SAMPLE_CPU | SAMPLE_PERIOD,
    "read_format": FORMAT_TIMES | FORMAT_ID | FORMAT_LOST,
}
# ID says what IDENTIFIER says.
DROPPED_BITS = {"sample_type": SAMPLE_ID, "read_format": 0}
# Counters without samples (pt-stat) need none of them. Software events are counted as one group, so that they are read at the same time; members of a
# group start with their leader.
ADDED_BITS_OF_COUNTERS = {"sample_type": 0, "read_format": FORMAT_TIMES | FORMAT_ID | FORMAT_GROUP}
DROPPED_BITS_OF_COUNTERS = {"sample_type": SAMPLE_ID | SAMPLE_IDENTIFIER, "read_format": 0}
FOLLOWS_LEADER = {"disabled", "enable_on_exec"}
# Maps, names and tasks come from a dummy event beside the others on each CPU, whose ring samples cannot fill.
SIDE_BAND = {"mmap", "comm", "task", "mmap_data"}
# The reader is woken by a fill level (and by a timer), not by a number of events.
WAKING = {"watermark"}


def is_dummy(event):
    return event["type"] == "1" and event["config"] == "9"


def term_fits(term, want, got):
    """want: values, with "|" between them; got: the event"""
    if term not in got or want == "*" or term in SIDE_BAND | WAKING | ANY_EVENT - {"cpu"}:
        return True
    values = want.split("|")
    if got[term] in values or "*" in values:
        return True
    counter = got["sample_type"] == "0"
    if term in FOLLOWS_LEADER and counter and got["group_fd"] != "-1":
        return got[term] == "0"
    if term == "inherit" and got["pid"] == "-1":
        return True     # an event of a CPU has no children
    if term == "size":
        return int(got[term]) >= int(want)
    if term in ADDED_BITS:
        value = int(got[term])
        added = (ADDED_BITS_OF_COUNTERS if counter else ADDED_BITS)[term]
        dropped = (DROPPED_BITS_OF_COUNTERS if counter else DROPPED_BITS)[term]
        return any(value & ~int(v) & ~added == 0 and int(v) & ~value & ~dropped == 0 for v in values)
    return False


def differences(expected, got):
    return ["%s=%s, not %s" % (t, got[t], v) for t, v in expected.items() if t != "optional" and not term_fits(t, v, got)]


def sections(path):
    ini = configparser.ConfigParser(strict=False)
    ini.read(path)
    return ini


def expected_events(path):
    ini, events = sections(path), {}
    for name in ini.sections():
        if name.startswith("event"):
            base = sections(os.path.join(os.path.dirname(path), name.split(":")[1]))["event"] if ":" in name else {}
            events[name.split(":")[0] + (":dummy" if "dummy" in name else "")] = {**base, **ini[name]}
    return events


def group_leaders(events):
    """The name of each event's group leader, or None."""
    by_fd = {e["fd"]: n for n, e in events.items()}
    return {n: by_fd.get(e["group_fd"]) if e["group_fd"] != "-1" else None for n, e in events.items()}


def compare(expected, got):
    """Each expected event is among those that were opened, and none is opened that was not expected. Returns what is wrong, or None."""
    got = {n: e for n, e in got.items() if not is_dummy(e)}
    expected = {n: e for n, e in expected.items() if not is_dummy(e)}
    match = {w: [g for g in got if not differences(expected[w], got[g])] for w in expected}
    for w, e in expected.items():
        if not match[w] and e.get("optional") != "1":
            return w + ": " + (min((differences(e, g) for g in got.values()), key=len, default=["nothing was opened"])[0])
    for g in got:
        if not any(g in m for m in match.values()):
            return g + ": " + min((differences(e, got[g]) for e in expected.values()), key=len)[0]
    leaders, got_leaders = group_leaders(expected), group_leaders(got)
    for w, leader in leaders.items():
        for g in match[w]:
            if leader and got_leaders[g] not in match[leader]:
                return w + ": not in the group of " + leader
    return None


def of_other_cpu(ini):
    arch = ini["config"].get("arch", "")
    names = arch.lstrip("!").split(",")
    return bool(arch) and (platform.machine() in names) == arch.startswith("!")


def run(path, shim):
    """Returns what is wrong, or None."""
    ini = sections(path)
    config = ini["config"]
    with tempfile.TemporaryDirectory() as d:
        out = os.path.join(d, "events")
        line = "pt-%s -o %s/perf.data %s" % (config["command"], d, config["args"].split(">")[0])
        done = subprocess.run(line, shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                              env={**os.environ, "PEERS_ATTRIBUTES": out, "LD_PRELOAD": shim})
        if str(done.returncode) != config.get("ret", "0"):
            said = [x for x in done.stderr.splitlines() if x.startswith("pt-")]
            return "exit status %d: %s" % (done.returncode, said[0] if said else "")
        got = sections(out)
        return compare(expected_events(path), {n: dict(got[n]) for n in got.sections()})


def main():
    tests = peers.folder("attr")
    shim = os.path.abspath("attributes.so")
    peers.need("gcc")
    subprocess.run(["gcc", "-Wall", "-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", "-o", shim,
                    os.path.join(os.environ["PT_TOP"], "tests/peers/attributes.c")], check=True)
    suite = peers.Suite("attributes")
    for name in sorted(os.listdir(tests)):
        path = os.path.join(tests, name)
        if not name.startswith("test-"):
            continue
        if of_other_cpu(sections(path)):
            suite.skip(name, "of another CPU")
        else:
            suite.result(name, run(path, shim))
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
