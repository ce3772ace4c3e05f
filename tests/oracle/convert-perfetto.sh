# pt-convert's Perfetto files, decoded by the published schema with Google's own protobuf library, beside pt-script, pt-lat and pt-timehist on the same recording: each
# switch and wake-up, each request of a disk, each system call with its fields.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/convert.sh"
need_root
need python3
need_protoc
/usr/bin/python3 -c 'import google.protobuf' 2> /dev/null || skip "python3-protobuf is not installed"
need_events sched:sched_switch sched:sched_waking block:block_rq_issue syscalls:sys_enter_newfstatat
dir=$(disk_dir) || skip "no disk for block events"
spin
protoc --proto_path="$PT_DATA/convert" --python_out=. perfetto.proto || fail "protoc"
pt-record -q --sched --block -e syscalls:sys_enter_newfstatat -o all.data -- sh -c "ls -l /usr/share > /dev/null & dd if=/dev/zero of=$dir/f bs=64k count=20 oflag=direct conv=fsync; wait" 2> rec.err ||
	fail "pt-record: $(cat rec.err)"
pt-convert -o all.pftrace all.data 2> convert.err || fail "pt-convert: $(cat convert.err)"
pt-script -j all.data > script.json 2> /dev/null || fail "pt-script"
pt-lat --block all.data > lat 2> /dev/null || fail "pt-lat"
pt-timehist --summary all.data > timehist 2> /dev/null || fail "pt-timehist"
cat > compare.py <<'P'
import json, re, sys
import perfetto_pb2
trace = perfetto_pb2.Trace()
trace.ParseFromString(open("all.pftrace", "rb").read())
bad = 0


def same(what, got, want, least):
    global bad
    got, want = sorted(got), sorted(want)
    if got != want or len(want) < least:
        bad += 1
        print("%s: %d, not %d (at least %d); first that differ: %s" % (what, len(got), len(want), least, next(((g, w) for g, w in zip(got, want) if g != w), "")))


script = [json.loads(line) for line in open("script.json")]
want = {n: [(x["time_ns"], x["cpu"], x["fields"]) for x in script if x.get("event") == n] for n in
        ("sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup", "sched:sched_wakeup_new", "syscalls:sys_enter_newfstatat")}
got = {"sched_switch": [], "sched_waking": [], "sched_wakeup": [], "sched_wakeup_new": []}
tracks, instants, begins, slices, tasks, busy = {}, [], {}, [], {}, {}
for p in trace.packet:
    if p.UnknownFields() if hasattr(p, "UnknownFields") and len(p.UnknownFields()) else None:
        bad += 1
        print("fields that the schema does not have")
    kind = p.WhichOneof("data")
    if kind == "ftrace_events":
        last = None
        for e in p.ftrace_events.event:
            which = e.WhichOneof("event")
            if which in got:
                got[which].append((e.timestamp, p.ftrace_events.cpu, getattr(e, which)))
    elif kind == "track_descriptor":
        tracks[p.track_descriptor.uuid] = p.track_descriptor
    elif kind == "process_tree":
        for t in p.process_tree.threads:
            tasks[t.tid] = (t.tgid, t.name)
    elif kind == "track_event":
        e = p.track_event
        if e.type == e.TYPE_INSTANT and e.name == "sys_enter_newfstatat":
            instants.append((p.timestamp, tracks[e.track_uuid].thread.tid, json.dumps({a.name: getattr(a, a.WhichOneof("value")) for a in e.debug_annotations}, sort_keys=True)))
        elif e.type == e.TYPE_SLICE_BEGIN:
            begins[e.track_uuid] = (p.timestamp, e.name, {a.name: a.int_value for a in e.debug_annotations})
        elif e.type == e.TYPE_SLICE_END:
            start, op, notes = begins.pop(e.track_uuid)
            slices.append((p.timestamp, p.timestamp - start, tracks[e.track_uuid].name.split()[1], op, "%d+%d" % (notes["sector"], notes["sectors"])))

same("switches", [(t, c, m.prev_comm, m.prev_pid, m.prev_prio, m.prev_state, m.next_comm, m.next_pid, m.next_prio) for t, c, m in got["sched_switch"]],
     [(t, c) + tuple(f[k] for k in ("prev_comm", "prev_pid", "prev_prio", "prev_state", "next_comm", "next_pid", "next_prio")) for t, c, f in want["sched:sched_switch"]], 50)
for n, least in (("sched_waking", 20), ("sched_wakeup", 20), ("sched_wakeup_new", 1)):
    same(n, [(t, c, m.comm, m.pid, m.prio, m.target_cpu) for t, c, m in got[n]], [(t, c, f["comm"], f["pid"], f["prio"], f["target_cpu"]) for t, c, f in want["sched:" + n]], least)


def as_number(v):
    return int(v, 16) if isinstance(v, str) and re.fullmatch("0x[0-9a-f]+", v) else v


same("system calls", instants, [(x["time_ns"], x["tid"], json.dumps({k: as_number(v) for k, v in x["fields"].items()}, sort_keys=True))
                                for x in script if x.get("event") == "syscalls:sys_enter_newfstatat"], 5)
lat = [line.split() for line in open("lat") if not line.startswith("#")]
same("requests", [("%d.%03d" % divmod(t, 1000), "%d.%03d" % divmod(d, 1000), dev, op, where) for t, d, dev, op, where in slices], [tuple(f[:5]) for f in lat], 10)
if begins:
    bad += 1
    print("slices without an end: %s" % begins)
# The run time that pt-timehist adds up for a task is what lies between its switches.
on, run = {}, {}
for t, c, m in sorted(got["sched_switch"], key=lambda x: x[0]):
    if on.get(c, (None, None))[0] == m.prev_pid:
        run[m.prev_pid] = run.get(m.prev_pid, 0) + t - on[c][1]
    on[c] = (m.next_pid, t)
rows = re.findall(r"^ *(\S+?)\[(\d+)(?:/\d+)?\] +\S+ +\d+ +([0-9.]+)", open("timehist").read(), re.M)
compared = 0
for comm, tid, ms in rows:
    if int(tid) in run and comm in ("dd", "ls"):
        compared += 1
        if abs(run[int(tid)] / 1e6 - float(ms)) > .002:
            bad += 1
            print("run time of %s: %f, not %s" % (comm, run[int(tid)] / 1e6, ms))
if compared < 2:
    bad += 1
    print("no run times of ls and dd: %s" % rows[:5])
for tid in {x[2].next_pid for x in got["sched_switch"] if x[2].next_comm == "dd"}:
    if tid not in tasks or tasks[tid][1] != "dd":
        bad += 1
        print("the name of task %d: %s" % (tid, tasks.get(tid)))
sys.exit(bad)
P
/usr/bin/python3 compare.py > differing || fail "$(head -20 differing)"
