"""Every record of a recording as the library reads it, beside `perf report -D` (all fields) and `perf script` (tracepoint text)."""
import glob, os, re, subprocess, sys

DATA, TOOLS = os.environ["PT_DATA"], os.environ["PT_TOOLS"]
SH = "sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 0.01 & wait; ls / | cat > /dev/null'"
FRESH = {
    "tracepoints": "-e sched:sched_switch,syscalls:sys_enter_openat,page-faults",
    "stream": "-e sched:sched_switch -e cpu-clock -o -",
    "zstd": "-z -e sched:sched_switch -e cpu-clock -c 100000",
    "threads": "--threads -e cpu-clock -c 100000",
    "fp": "-e cpu-clock -c 100000 -g",
    "dwarf": "-e cpu-clock -c 1000000 --call-graph dwarf",
    "all": "-e cpu-clock -c 1000000 -I --user-regs=ip,sp -d --phys-data -W --data-page-size --code-page-size --namespaces --all-cgroups --switch-events -s",
    "group": "-e {cpu-clock,page-faults,context-switches}:S -c 1000000",
}
TYPES = {1: "MMAP", 2: "LOST", 3: "COMM", 4: "EXIT", 5: "THROTTLE", 6: "UNTHROTTLE", 7: "FORK", 8: "READ", 9: "SAMPLE", 10: "MMAP2", 11: "AUX",
         13: "LOST_SAMPLES", 14: "SWITCH", 15: "SWITCH_CPU_WIDE", 16: "NAMESPACES", 17: "KSYMBOL", 18: "BPF_EVENT", 19: "CGROUP"}
HEAD = re.compile(r"^((?:-?\d+ )+)(?:0x)?([0-9a-f]+) \[(?:0x)?([0-9a-f]+)\]: PERF_RECORD_(\w+)(.*)$")


def run(cmd):
    return subprocess.run(cmd, shell=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def perf_records(path):
    p = run(f"perf report -D -i {path}")
    if b"build-id.c" in p.stderr:
        return None     # a fault of perf 6.1: another session asked for build-ids meanwhile
    out, rec = [], None
    for line in p.stdout.decode("utf-8", "replace").split("\n"):
        m = HEAD.match(line)
        if m:
            rec = None
            if m.group(4) in TYPES.values():
                rec = {"type": m.group(4), "time": int(m.group(1).split()[-1]), "off": int(m.group(2), 16), "rest": m.group(5), "more": []}
                out.append(rec)
        elif rec is not None and line:
            rec["more"].append(line)
        elif not line:
            rec = None
    return out


def pt_records(path):
    p = run(f"{TOOLS}/dump {path}")
    if p.returncode:
        sys.exit(f"FAILED: {path}: dump ended with {p.returncode}: {p.stderr.decode()}")
    out = []
    for line in p.stdout.decode("utf-8", "replace").split("\n"):
        m = re.match(r"^0x([0-9a-f]+) (\d+)/([0-9a-f]+) (\S+)(.*)$", line)
        if m:
            # a further part of a sample that read its group's counters
            if out and int(m.group(1), 16) == out[-1]["off"] and "value=" in out[-1]["rest"] and "value=" not in m.group(5):
                continue
            f = dict(re.findall(r" (\w+)=(\S*)", m.group(5).split(" text=")[0]))
            if "value=" in m.group(5):
                f.pop("period", None)   # what the event counted, not what is recorded
            out.append({"off": int(m.group(1), 16), "type": TYPES.get(int(m.group(2)), m.group(2)), "misc": int(m.group(3), 16), "event": m.group(4),
                        "rest": m.group(5), "f": f, "time": int(f.get("time", 0))})
    return out


def numbers(lines, pattern):
    return [int(x, 16) for x in re.findall(pattern, "\n".join(lines))]


def words(f, key):
    return [int(x, 16) for x in f[key].split(",") if x] if key in f else []


def between(lines, start):
    """The register lines behind the one that begins with start."""
    out, on = [], False
    for line in lines:
        if line.startswith(start):
            on = True
        elif on and re.match(r"^\.\.\.\. \w+ +0x", line):
            out.append(int(line.split()[-1], 16))
        else:
            on = False
    return out


def sample_differs(a, b):
    m = re.match(r"\(IP, 0x([0-9a-f]+)\): (-?\d+)/(-?\d+): 0x([0-9a-f]+) period: (\d+) addr: (\S+)", a["rest"])
    f, more = b["f"], a["more"]
    want = (int(m.group(1), 16), m.group(2), m.group(3), int(m.group(4), 16), int(m.group(5)), int(m.group(6), 16))
    got = (b["misc"], f["pid"], f["tid"], int(f.get("ip", "0"), 16), int(f.get("period", m.group(5))), int(f.get("addr", "0"), 16))
    if want != got:
        return want, got
    pairs = [
        (numbers(more, r"(?m)^\.{5} +\d+: ([0-9a-f]{16})$"), words(f, "chain")),
        (between(more, "... user regs"), words(f, "user")),
        (between(more, "... intr regs"), words(f, "intr")),
        (numbers(more, r"(?m)^ \.\. phys_addr: 0x([0-9a-f]+)"), words(f, "phys")),
        (numbers(more, r"(?m)^ \. data_src: 0x([0-9a-f]+)"), words(f, "data_src")),
        ([n for n in re.findall(r"ustack: size (\d+)", "\n".join(more)) if n != "0"], [f["stack"].split("/")[0]] if f.get("stack", "0/").split("/")[0] != "0" else []),
        ([(int(i, 16), int(v, 16), int(l)) for i, v, l in re.findall(r"(?m)^\.{5} id ([0-9a-f]+), value ([0-9a-f]+), lost (\d+)", "\n".join(more))],
         [(int(x.split("/")[1]), int(x.split("/")[0]), int(x.split("/")[2])) for x in re.findall(r" value=(\S+)", b["rest"])]),
    ]
    for want, got in pairs:
        if want and want != got:
            return want, got
    return None


def perms(prot, flags):
    return ("r" if prot & 1 else "-") + ("w" if prot & 2 else "-") + ("x" if prot & 4 else "-") + ("s" if flags & 1 else "p")


def side_text(b):
    """perf's words for the record, made from the dump's line; None: only type and time are compared."""
    r, f = b["rest"], b["f"]
    if b["type"] in ("MMAP", "MMAP2"):
        m = re.search(r" (-?\d+/-?\d+) \[(\w+)\((\w+)\) @ (\w+) (\w+):(\w+) (\d+) (\d+)\] prot=(\w+) flags=(\w+) build_id=(\w*) (.*)$", r)
        off = "0" if m.group(4) == "0" else "0x" + m.group(4)
        head = f" {m.group(1)}: [0x{m.group(2)}(0x{m.group(3)}) @ {off}"
        if b["type"] == "MMAP":
            return f"{head}]: {'x' if int(m.group(9), 16) & 4 else 'r'} {m.group(12)}"
        prot = perms(int(m.group(9), 16), int(m.group(10), 16))
        middle = f" <{m.group(11)}>" if m.group(11) else f" {m.group(5)}:{m.group(6)} {m.group(7)} {m.group(8)}"
        return f"{head}{middle}]: {prot} {m.group(12)}"
    if b["type"] == "COMM":
        m = re.search(r" (-?\d+)/(-?\d+) (.*)$", r)
        return (" exec" if b["misc"] & 0x2000 else "") + f": {m.group(3)}:{m.group(1)}/{m.group(2)}"
    if b["type"] in ("FORK", "EXIT"):
        m = re.search(r" (-?\d+)/(-?\d+) from (-?\d+)/(-?\d+)", r)
        return f"({m.group(1)}:{m.group(2)}):({m.group(3)}:{m.group(4)})"
    if b["type"] == "CGROUP":
        return " cgroup: " + " ".join(r.split()[-2:])
    return None


def compare(path):
    want, got = perf_records(path), pt_records(path)
    if want is None:
        return 0
    name = os.path.basename(path)
    # Offsets are another matter in streams and in compressed data, where perf names the compressed record.
    packed, texts = "stream" in name or len({r["off"] for r in want}) < len(want) or "zstd" in name, 0
    if len(want) != len(got):
        sys.exit(f"FAILED: {name}: {len(got)} records, perf has {len(want)}")
    # Records that perf makes up bear no time: perf shows them when it meets them, the library keeps their place.
    made_up = lambda r: r["time"] in (0, -1)
    for want_part, got_part in ((filter(made_up, want), filter(made_up, got)), ([r for r in want if not made_up(r)], [r for r in got if not made_up(r)])):
        for a, b in zip(want_part, got_part):
            if (a["type"], max(a["time"], 0)) != (b["type"], b["time"]) or not packed and a["off"] != b["off"]:
                sys.exit(f"FAILED: {name}: {b}, in perf it is {a}")
            if a["type"] == "SAMPLE":
                d = sample_differs(a, b)
                if d:
                    sys.exit(f"FAILED: {name}: at 0x{a['off']:x}: {d[1]}, in perf it is {d[0]}")
            else:
                text = side_text(b)
                texts += text is not None
                if text is not None and text != a["rest"].rstrip():
                    sys.exit(f"FAILED: {name}: '{text}', in perf it is '{a['rest']}'")
    return compare_text(path, got)


def compare_text(path, got):
    """Tracepoint text, event names and times, as perf script prints them."""
    if "group" in path:
        return len(got)     # perf shows a line for each member of a group that was read
    p = run(f"perf script --ns -G -F pid,tid,time,event,trace -i {path}")
    lines = [re.sub(r"\s+", " ", l).strip() for l in p.stdout.decode("utf-8", "replace").split("\n") if l.strip()]
    mine = []
    for b in got:
        if b["type"] == "SAMPLE":
            m = re.search(r" text=(.*)$", b["rest"])
            line = f"{b['f']['pid']}/{b['f']['tid']} {b['time'] // 10**9}.{b['time'] % 10**9:09d}: {b['event']}: {m.group(1) if m else ''}"
            mine.append(re.sub(r"\s+", " ", line).strip())
    if lines != mine:
        for a, b in zip(lines, mine):
            if a != b:
                sys.exit(f"FAILED: {os.path.basename(path)}: '{b}', in perf script it is '{a}'")
        sys.exit(f"FAILED: {os.path.basename(path)}: {len(mine)} lines, perf script has {len(lines)}")
    return len(got)


if run("command -v perf").returncode:
    print("SKIP: perf is not installed")
    sys.exit(77)
paths = sorted(glob.glob(DATA + "/*.data"))
if os.getuid() == 0:
    for name, options in FRESH.items():
        out = "> fresh-stream.data" if name == "stream" else f"-o fresh-{name}.data"
        for attempt in range(10):
            p = run(f"perf record -q -N -B --no-bpf-event {options} {out if name != 'stream' else ''} -- {SH} {out if name == 'stream' else ''}")
            if p.returncode:
                break
            if perf_records(f"fresh-{name}.data") is not None:
                paths.append(f"fresh-{name}.data")
                break
total, compared = 0, 0
for path in paths:
    n = compare(path)
    total += n
    compared += n > 0
if compared < 10:
    sys.exit(f"FAILED: only {compared} recordings were compared")
print(f"ok: {total} records of {compared} recordings")
