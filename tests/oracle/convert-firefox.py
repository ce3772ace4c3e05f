"""pt-convert's Firefox profiles against the published processed format, version 47 (docs-developer/processed-profile-format.md and src/types/profile of the profiler): its
members, columns of equal length, indices within their tables, callers in front of callees. Then the figures: samples, weights and stacks are those of pt-stack."""
import collections, json, os, subprocess, sys

DATA = os.environ["PT_DATA"]
NUMBER, TEXT, FLAG, LIST, NULL = (int, float), str, bool, list, type(None)
META = {"interval": NUMBER, "startTime": NUMBER, "processType": int, "product": TEXT, "stackwalk": int, "version": int, "preprocessedProfileVersion": int,
        "symbolicated": FLAG, "markerSchema": LIST, "categories": LIST}
THREAD = {"processType": TEXT, "processStartupTime": NUMBER, "processShutdownTime": NULL, "registerTime": NUMBER, "unregisterTime": NULL, "pausedRanges": LIST,
          "name": TEXT, "isMainThread": FLAG, "pid": TEXT, "tid": int, "samples": dict, "markers": dict, "stackTable": dict, "frameTable": dict, "funcTable": dict,
          "resourceTable": dict, "nativeSymbols": dict, "stringArray": LIST}
LIB = {"arch": TEXT, "name": TEXT, "path": TEXT, "debugName": TEXT, "debugPath": TEXT, "breakpadId": TEXT}
# table -> column -> what it is an index into, "" a value; a leading ? allows null, a leading - allows -1
TABLES = {
    "samples": {"stack": "?stackTable", "time": "", "weight": ""},
    "markers": {c: "" for c in ("data", "name", "startTime", "endTime", "phase", "category")},
    "stackTable": {"frame": "frameTable", "prefix": "?stackTable", "category": "categories", "subcategory": ""},
    "frameTable": {"address": "", "inlineDepth": "", "category": "?categories", "subcategory": "", "func": "funcTable", "nativeSymbol": "?nativeSymbols",
                   "innerWindowID": "", "implementation": "?stringArray", "line": "", "column": ""},
    "funcTable": {"isJS": "", "relevantForJS": "", "name": "stringArray", "resource": "-resourceTable", "fileName": "?stringArray", "lineNumber": "", "columnNumber": ""},
    "resourceTable": {"lib": "?libs", "name": "stringArray", "host": "?stringArray", "type": ""},
    "nativeSymbols": {"libIndex": "libs", "address": "", "name": "stringArray", "functionSize": ""},
}
bad = 0


def check(true, *what):
    global bad
    if not true:
        bad += 1
        print(*what)


def convert(*args):
    out = subprocess.run(["pt-convert", "--to", "firefox", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check(out.returncode == 0, args, out.stderr)
    return json.loads(out.stdout.decode("utf-8"))


def members(what, v, want):
    for name, kind in want.items():
        check(name in v and isinstance(v[name], kind), what, "has no", name, v.get(name))


def structure(what, p):
    check(set(p) == {"meta", "libs", "threads"}, what, set(p))
    members(what + " meta", p["meta"], META)
    check(p["meta"]["preprocessedProfileVersion"] == 47, what, "version")
    check(any(c["color"] == "grey" for c in p["meta"]["categories"]), what, "a grey category is required")
    for lib in p["libs"]:
        members(what + " lib", lib, LIB)
    for t in p["threads"]:
        members(what + " thread", t, THREAD)
        sizes = {n: t[n]["length"] for n in TABLES}
        sizes.update(stringArray=len(t["stringArray"]), categories=len(p["meta"]["categories"]), libs=len(p["libs"]))
        for name, columns in TABLES.items():
            check(set(t[name]) - {"weightType"} == set(columns) | {"length"}, what, name, set(t[name]))
            for c, into in columns.items():
                v = t[name][c]
                check(len(v) == t[name]["length"], what, name, c, "has", len(v), "rows, not", t[name]["length"])
                if into:
                    null, into = into[0] == "?", into.lstrip("?-")
                    low = -1 if columns[c][0] == "-" else 0
                    check(all((null and x is None) or (x is not None and low <= x < sizes[into]) for x in v), what, name, c, "leads out of", into)
        check(all(x is None or x < i for i, x in enumerate(t["stackTable"]["prefix"])), what, "a caller behind its callee")
        check(t["samples"]["time"] == sorted(t["samples"]["time"]), what, "times run backwards")
        check(len(set(t["stringArray"])) == len(t["stringArray"]), what, "a string twice")


def stacks(p):
    """comm;outermost;...;innermost -> weight, as pt-stack prints them"""
    sums = collections.Counter()
    for t in p["threads"]:
        def name(s):
            return t["stringArray"][t["funcTable"]["name"][t["frameTable"]["func"][t["stackTable"]["frame"][s]]]]
        for s, w in zip(t["samples"]["stack"], t["samples"]["weight"]):
            frames = []
            while s is not None:
                frames.append(name(s))
                s = t["stackTable"]["prefix"][s]
            sums[";".join([t["name"]] + frames[::-1])] += w
    return sums


def folded(*args):
    out = subprocess.run(["pt-stack", "--plain", *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    return collections.Counter({line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in out.splitlines()})


for cpu in ("arm64", "arm64-fp", "i386"):
    args = ["--symfs", "%s/stacks/%s" % (DATA, cpu), "%s/stacks/%s.data" % (DATA, cpu)]
    p = convert(*args)
    structure(cpu, p)
    got, want = stacks(p), folded(*args)
    check(got == want and sum(want.values()) > 20, cpu, "stacks differ:", (got - want), (want - got))
    check(p["meta"]["startTime"] > 1.5e12, cpu, "no time of day:", p["meta"]["startTime"])
structure("threads", convert(DATA + "/threads.data"))
structure("dwarf, lines", convert("-l", DATA + "/dwarf.data"))
with open("a.folded", "w") as f:
    f.write("prog;main;work 7\nprog;main;read_[k] 2\ntool;main 1\n")
p = convert("a.folded")
structure("folded", p)
check(stacks(p) == {"prog;main;work": 7, "prog;main;read": 2, "tool;main": 1}, "folded", stacks(p))
sys.exit(bad != 0)
