"""What the tests of this suite share: where perf's own tests are, and the table of those that are known to fail."""
import os
import shutil
import sys

PERF_TESTS = "/usr/lib/perf-core/tests"
TABLE = os.path.join(os.environ["PT_TOP"], "tests/peers/differs")


def skip_all(why):
    print("SKIP: " + why)
    sys.exit(77)


def folder(name):
    path = os.path.join(PERF_TESTS, name)
    if not os.path.isdir(path):
        skip_all("perf's own tests are not installed (%s; package linux-perf)" % path)
    return path


def need(program):
    if not shutil.which(program):
        skip_all(program + " is not installed")


def table():
    """Lines "TEST NAME: reason" of the file `differs`, by (TEST, NAME)."""
    rows = {}
    for line in open(TABLE):
        if line.strip() and not line.startswith("#"):
            key, reason = line.rstrip("\n").split(": ", 1)
            rows[tuple(key.split(" ", 1))] = reason
    return rows


class Suite:
    """Prints a line for each of perf's tests. One that fails must be in the table, and one that passes must not."""

    def __init__(self, test):
        self.test = test
        self.known = {n: r for (t, n), r in table().items() if t == test}
        self.seen, self.failed = set(), 0

    def fail(self, name, why):
        self.failed += 1
        print("FAIL %s/%s: %s" % (self.test, name, why), flush=True)

    def skip(self, name, why):
        self.seen.add(name)
        print("SKIP %s/%s: %s" % (self.test, name, why), flush=True)

    def result(self, name, wrong):
        """wrong: None, or what a test that failed said"""
        self.seen.add(name)
        if wrong and name in self.known:
            self.skip(name, self.known[name])
        elif wrong:
            self.fail(name, wrong)
        elif name in self.known:
            self.fail(name, "passes, but stands in tests/peers/differs: " + self.known[name])
        else:
            print("ok %s/%s" % (self.test, name), flush=True)

    def end(self):
        for name in self.known.keys() - self.seen:
            self.fail(name, "stands in tests/peers/differs, and there is no such test")
        return 1 if self.failed else 0
