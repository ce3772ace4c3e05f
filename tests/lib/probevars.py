#!/usr/bin/env python3
"""probevars.py VARS GROUP LANGUAGE OPTIONS PROGRAM SOURCE: each variable at places of the program, as the kernel fetches it with what tests/tools/vars says, beside gdb.

Both runs are without address randomisation and environment, so that pointers are equal. Places: addresses of the source's rows in the line table, at most --places of
them, evenly. Prints one line "PROGRAM: N cases, N fetched and equal, N refused ..."; exit status 1 when a value differs, or one is refused without reason.
--perf also asks perf probe which variables it would take. --verbose lists each difference, --reasons how often each reason was given."""
import argparse, collections, json, os, re, subprocess, sys, tempfile, time

TRACING = "/sys/kernel/tracing"
ap = argparse.ArgumentParser()
for name in ("vars", "group", "language", "options", "program", "source"):
    ap.add_argument(name)
ap.add_argument("--places", type=int, default=60)
ap.add_argument("--hits", type=int, default=3)
ap.add_argument("--globals", default="", help="expressions of global variables, also to be compared")
ap.add_argument("--gone-ok", action="store_true", help="gdb does not find all locations of such a program")
ap.add_argument("--target", action="store_true", help="pt finds the places itself, by struct pt_target: split units are read as pt-probe reads them")
ap.add_argument("--perf", action="store_true")
ap.add_argument("--reasons", action="store_true")
ap.add_argument("--show", metavar="REGEX")
args = ap.parse_args()
program = os.path.realpath(args.program)
here = os.path.dirname(os.path.realpath(__file__))
clean = ["setarch", "-R", "env", "-i"]


def rows():
    """Addresses at which a statement of the source begins."""
    out = subprocess.run(["objdump", "--dwarf=decodedline", program], capture_output=True, text=True, errors="replace").stdout
    name, found = os.path.basename(args.source), {}
    for line in out.splitlines():
        f = line.split()
        if len(f) >= 3 and os.path.basename(f[0]) == name and f[2].startswith("0x") and f[1].isdigit() and int(f[1]):
            if "x" in f[3:]:
                found.setdefault(int(f[2], 16), int(f[1]))
    return sorted(found)


def pick(addrs, n):
    return addrs if len(addrs) <= n else [addrs[i * len(addrs) // n] for i in range(n)]


def run_gdb(addrs, tmp):
    with open(tmp + "/places", "w") as f:
        f.writelines("%x\n" % a for a in addrs)
    pie = "1" if b"DYN" in subprocess.run(["readelf", "-h", program], capture_output=True).stdout else "0"
    env = dict(os.environ, PLACES=tmp + "/places", HITS=str(args.hits), OUT=tmp + "/out", PROGRAM=program, PIE=pie, LANGUAGE=args.language, GLOBALS=args.globals, PYTHONDONTWRITEBYTECODE="1")
    r = subprocess.run(["gdb", "-nx", "-batch", "-ex", "set startup-with-shell off", "-ex", "set disable-randomization on", "-ex", "set debuginfod enabled off",
                        "-ex", "set confirm off", "-ex", "unset environment", "-x", here + "/probevars.gdb.py", program],
                       env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=120)
    try:
        return json.load(open(tmp + "/out"))["places"]
    except OSError:
        sys.exit("gdb failed: %s" % (r.stderr + r.stdout)[-2000:])


def run_vars(wanted):
    """{address: {expr: (fetch or None, reason, type)}}, {address: offset}"""
    lines = "".join("%s - %s\n" % (a, " ".join("x%d=%s" % (i, e) for i, e in enumerate(exprs))) for a, exprs in wanted.items())
    r = subprocess.run([args.vars] + (["-p"] if args.target else []) + [program], input=lines, capture_output=True, text=True, errors="replace")
    if r.returncode:
        sys.exit("vars failed (%d): %s" % (r.returncode, r.stderr))
    said, at = collections.defaultdict(dict), {}
    for line in r.stdout.splitlines():
        f = line.split("\t")
        if f[2] == "at":
            at[f[0]] = int(f[3], 16)
        elif f[2] in ("ok", "no"):
            m = re.match(r"x(\d+)", f[3])
            e = wanted[f[0]][int(m.group(1))]
            said[f[0]][e] = (f[4] if f[2] == "ok" else None, f[4], f[5])
    return said, at


def kind(fetch):
    """What two places must have in common to be one event: the type; of bits their container's."""
    t = fetch.rpartition(":")[2] if ":" in fetch else "x64"
    return "u" + t.partition("/")[2] if t[0] == "b" else t


def define(said, at):
    """Writes the definitions: few events with many places each, since the kernel takes 50 ms to disable one. All places of an event have the same list of types;
    what a place does not need of it is filled up. {number of the probe: (address, {slot: expr})}"""
    most = collections.Counter()
    for exprs in said.values():
        for k, nr in collections.Counter(kind(v[0]) for v in exprs.values() if v[0]).items():
            most[k] = max(most[k], min(nr, 10))
    while sum(most.values()) > 90:
        most[most.most_common(1)[0][0]] -= 1
    layout = [k for k, nr in sorted(most.items()) for _ in range(nr)]
    probes = {}
    fd = os.open(TRACING + "/uprobe_events", os.O_WRONLY | os.O_APPEND)
    try:
        for a, exprs in said.items():
            left = {e: v[0] for e, v in exprs.items() if v[0]}
            while left:
                text, slots, room = "p:%s/all %s:0x%x id=\\%d:u32" % (args.group, program, at[a], len(probes)), {}, 3900 - 20 * len(layout)
                for i, k in enumerate(layout):
                    e = next((e for e, f in left.items() if kind(f) == k), None) if room > 80 else None
                    fetch = "@0:%s" % k if "[" in k or k == "string" else "\\0:%s" % k
                    if e:
                        slots[i] = e
                        fetch = left.pop(e)
                        room -= len(fetch)
                    text += " a%d=%s" % (i, fetch)
                try:
                    os.write(fd, (text + "\n").encode())
                except OSError as e:
                    log = subprocess.run(["tail", "-3", TRACING + "/error_log"], capture_output=True, text=True).stdout
                    sys.exit("the kernel refuses (%s): %s\n%s" % (e, text, log))
                probes[len(probes)] = (a, slots)
    finally:
        os.close(fd)
    return probes


def undefine():
    fd = os.open(TRACING + "/uprobe_events", os.O_RDWR | os.O_APPEND)
    try:
        os.write(fd, ("-:%s/all\n" % args.group).encode())
    except OSError:
        pass
    os.close(fd)


def value(text):
    if text.startswith("{"):
        return [value(t) for t in text[1:-1].split(",")]
    if text.startswith('"'):
        return text[1:-1]
    return None if text == "(fault)" else int(text, 0)


def run_traced(probes):
    """{(address, expr): [value a hit]}"""
    inst = "%s/instances/%s" % (TRACING, args.group)
    os.mkdir(inst)
    try:
        open(inst + "/buffer_size_kb", "w").write("8192")
        open("%s/events/%s/enable" % (inst, args.group), "w").write("1")
        subprocess.run(clean + [program], stdout=subprocess.DEVNULL, check=True)
        open("%s/events/%s/enable" % (inst, args.group), "w").write("0")
        got = collections.defaultdict(list)
        for line in open(inst + "/trace", errors="replace"):
            m = re.match(r".*?: all: \(0x[0-9a-f]+\) id=(\d+)(.*)$", line)
            if m:
                a, slots = probes[int(m.group(1))]
                values = re.findall(r' a\d+=(\{[^}]*\}|"[^"]*"|\S+)', m.group(2))
                for i, e in slots.items():
                    got[a, e].append(value(values[i]))
        return got
    finally:
        try:
            open("%s/events/%s/enable" % (inst, args.group), "w").write("0")
        except OSError:
            pass
        os.rmdir(inst)


def perf_fetches(places):
    """{address: {variable: how perf's $vars fetches it}}"""
    symbols, out = [], {}
    for line in subprocess.run(["nm", "--defined-only", program], capture_output=True, text=True).stdout.splitlines():
        f = line.split()
        if f[1] in "tTwW":
            symbols.append((int(f[0], 16), f[2]))
    symbols.sort()
    for a, names in places.items():
        at = [s for s in symbols if s[0] <= int(a, 16)][-1]
        r = subprocess.run(["perf", "probe", "-x", program, "-D", "%s+%d $vars" % (at[1], int(a, 16) - at[0])], capture_output=True, text=True, errors="replace")
        line = next((l for l in r.stdout.splitlines() if l.startswith("p:")), "")
        out[a] = {e: (f, "", "") for e, f in re.findall(r" (\w+)=(\S+)", line) if e in names}
    return out


def perf_beside(gdb, said, at):
    """The variables themselves (no members, no arrays): what perf takes of them, and what of that is wrong."""
    names = {a: {e for e, (d, by) in r["exprs"].items() if re.fullmatch(r"\w+", e) and e not in args.globals.split() and not any(isinstance(v, list) for v in by.values())} for a, r in gdb.items()}
    theirs = perf_fetches(names)
    symbols = sum(v[0].startswith("@") for es in theirs.values() for v in es.values())
    theirs = {a: {e: v for e, v in es.items() if not v[0].startswith("@")} for a, es in theirs.items()}	# the kernel refuses them, and all of such a probe
    try:
        got = run_traced(define(theirs, at))
    finally:
        undefine()
    took = sum(len(v) for v in theirs.values())
    bad = 0
    for a, exprs in theirs.items():
        for e in exprs:
            declared, by = gdb[a]["exprs"][e]
            if args.options == "O0" and declared >= gdb[a]["line"]:
                continue
            k = got[a, e][:args.hits]
            bits = int(re.search(r":\D(\d+)", exprs[e][0] + ":x64").group(1))
            right = all(h < len(k) and (v == k[h] or isinstance(v, int) and k[h] is not None and (v - k[h]) % (1 << bits) == 0) for h, v in ((int(h), v) for h, v in by.items()) if v != "error")
            bad += not right
            if not right and args.show:
                print("  perf: %s %s %s: gdb %s, kernel %s" % (a, e, exprs[e][0], list(by.values())[:3], k[:3]))
    ours = sum(1 for a, es in names.items() for e in es if said[a].get(e, (None,))[0])
    has = sum(1 for a, es in names.items() for e in es if any(v not in ("gone", "error") for v in gdb[a]["exprs"][e][1].values()))
    print("%s: of %d variables pt fetches %d, perf %d, %d of them wrong; %d more that the kernel refuses; gdb has %d" % (
        args.program, sum(len(v) for v in names.values()), ours, took, bad, symbols, has))


def main():
    tmp = tempfile.mkdtemp(prefix="probevars")
    t0 = time.monotonic()
    gdb = run_gdb(pick(rows(), args.places), tmp)
    t1 = time.monotonic()
    if "error" in gdb:
        sys.exit("gdb: %s" % gdb["error"])
    wanted = {a: list(r["exprs"]) for a, r in gdb.items() if r["exprs"]}
    said, at = run_vars(wanted)
    try:
        kernel = run_traced(define(said, at))
    finally:
        undefine()
    t2 = time.monotonic()
    n = collections.Counter()
    reasons, wrong = collections.Counter(), []
    for a, r in gdb.items():
        for e, (declared, by_hit) in r["exprs"].items():
            n["cases"] += 1
            has = [v for v in by_hit.values() if v not in ("gone", "error") and not (isinstance(v, list) and "gone" in v)]
            n["has"] += bool(has)
            fetch, why, typ = said[a].get(e, (None, "", ""))
            if not fetch:
                n["refused"] += 1
                if has:
                    n["refused_has"] += 1
                    reasons[re.sub(r"^[^:]*: |%\w+|\d+|\|.*", "", why)] += 1
                if not why:
                    wrong.append((a, e, "refused without reason"))
                if args.show and has and re.search(args.show, why):
                    print("  %s %s:%d %s: %s (gdb %s)" % (program, a, r["line"], e, why, by_hit))
                continue
            got = kernel[a, e][:args.hits]
            if args.options == "O0" and declared >= r["line"]:	# not initialised yet: what the stack had
                n["early"] += 1
                continue
            n["fetched"] += 1
            n["fetched_has"] += bool(has)
            for h, v in by_hit.items():
                if v == "error" or v == "gone" and args.gone_ok:
                    continue
                if int(h) >= len(got) or got[int(h)] != v:
                    wrong.append((a, e, "line %d hit %s: gdb %s, kernel %s by %s" % (r["line"], h, v, got[int(h)] if int(h) < len(got) else "nothing", fetch)))
                    break
    print("%s: %d cases, gdb has a value in %d: %d fetched, %d refused; %d more fetched; %d not initialised; %d wrong (gdb %.1f s, kernel %.1f s)" % (
        args.program, n["cases"], n["has"], n["fetched_has"], n["refused_has"], n["fetched"] - n["fetched_has"], n["early"], len(wrong), t1 - t0, t2 - t1))
    if args.reasons:
        for why, k in reasons.most_common(12):
            print("  %4d %s" % (k, why))
    if args.perf:
        perf_beside(gdb, said, at)
    for a, e, what in wrong[:20]:
        print("  WRONG %s %s: %s" % (a, e, what))
    subprocess.run(["rm", "-rf", tmp])
    sys.exit(1 if wrong else 0)


main()
