# probevars.gdb.py - in gdb: what variables are worth at each hit of each place. PLACES (a file of hexadecimal addresses of the program), HITS, OUT (JSON) come in the environment.
# OUT: { address: { "line": N, "exprs": { expression: [declared at line, { hit: value }] } } }; a value is a number, a list of numbers, a string (of EXPR:string), "gone" or "error".
# GLOBALS: expressions that are asked for at some places, too.
import gdb, json, os

gdb.execute("set pagination off")
gdb.execute("set confirm off")
gdb.execute("set width 0")
HITS = int(os.environ["HITS"])
INTS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_PTR)
STRUCTS = (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)
REFS = (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)


def scalar(v):
    if v.is_optimized_out:
        return "gone"
    n = int(v.cast(gdb.lookup_type("long"))) if v.type.strip_typedefs().code in (gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_BOOL) and not rust else int(v)
    return n


def numbers(v):
    t = v.type.strip_typedefs()
    if t.code in INTS:
        return scalar(v)
    if t.code == gdb.TYPE_CODE_ARRAY:
        lo, hi = t.range()
        e = t.target().strip_typedefs()
        if e.code in INTS and hi - lo < 64:
            return [scalar(v[i]) for i in range(lo, hi + 1)]
    return None


def as_numbers(t):
    """What makes numbers of text, which pt would show; strings() has the text."""
    t = t.strip_typedefs()
    if t.code not in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY) or t.target().strip_typedefs().unqualified().name != "char":
        return ""
    return ":x64" if t.code == gdb.TYPE_CODE_PTR else ":s8[%d]" % (t.range()[1] + 1)


def safe(v):
    try:
        return numbers(v)
    except (gdb.error, gdb.MemoryError, RuntimeError) as e:
        return "gone" if "optimized out" in str(e) else "error"


def members(v, expr, sep, out, depth):
    t = v.type.strip_typedefs()
    for f in t.fields()[:14]:
        if not hasattr(f, "bitpos") or f.artificial:
            continue
        try:
            if f.is_base_class:
                members(v[f], expr, sep, out, depth)
            elif not f.name:
                members(v[f], expr, sep, out, depth)
            else:
                name = f.name[2:] if rust and f.name.startswith("__") else f.name
                children(v[f], expr + sep + name, out, depth + 1)
        except (gdb.error, RuntimeError):
            pass


def children(v, expr, out, depth):
    t = v.type.strip_typedefs()
    try:
        if t.code in REFS:
            v = v.referenced_value()
            t = v.type.strip_typedefs()
    except (gdb.error, gdb.MemoryError, RuntimeError):
        if t.target().strip_typedefs().code in INTS:
            out.append((expr, "gone"))
        return
    n = safe(v)
    if n is not None:
        out.append((expr + as_numbers(t), n))
    if depth > 2:
        return
    try:
        if t.code in STRUCTS:
            members(v, expr, ".", out, depth)
        elif t.code == gdb.TYPE_CODE_PTR and t.target().strip_typedefs().code in STRUCTS and depth < 2 and int(v):
            members(v.dereference(), expr, "->", out, depth)
        elif t.code == gdb.TYPE_CODE_PTR and t.target().strip_typedefs().code in INTS and depth < 2 and int(v):
            n = safe(v.dereference())
            if n is not None:
                out.append(("*" + expr, n))
        elif t.code == gdb.TYPE_CODE_ARRAY and depth < 3:
            lo, hi = t.range()
            if hi >= lo:
                children(v[hi], "%s[%d]" % (expr, hi), out, depth + 1)
    except (gdb.error, gdb.MemoryError, RuntimeError):
        pass


def strings(v, expr, out):
    """Characters as text, if it is plain and ends."""
    t = v.type.strip_typedefs()
    if rust or t.code not in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY) or t.target().strip_typedefs().sizeof != 1 or t.target().strip_typedefs().code not in INTS:
        return
    try:
        text = v.string("latin-1", length=-1 if t.code == gdb.TYPE_CODE_PTR else t.sizeof).split("\0")[0]
    except (gdb.error, gdb.MemoryError, RuntimeError):
        return
    if text.isascii() and text.isprintable() and '"' not in text and 0 < len(text) < 100:
        out.append((expr + ":string", text))


def visible(pc):
    """Variables of the innermost block outwards to its function, inner ones hide outer ones."""
    seen = set()
    block = gdb.block_for_pc(pc)
    while block is not None and not block.is_static and not block.is_global:
        for s in block:
            if (s.is_variable or s.is_argument) and s.name not in seen:
                seen.add(s.name)
                yield s
        if block.function is not None:
            return
        block = block.superblock


def add(record, out, line):
    for expr, n in out:
        record["exprs"].setdefault(expr, [line, {}])[1][record["hits"]] = n


def hit(record, frame, pc):
    for s in visible(pc):
        if not s.name.replace("_", "").isalnum() or s.needs_frame is False and s.addr_class == gdb.SYMBOL_LOC_UNRESOLVED:
            continue
        out = []
        try:
            v = s.value(frame)
            if v.is_lazy:
                v.fetch_lazy()
        except (gdb.error, gdb.MemoryError, RuntimeError):
            v = None
        if v is None:
            try:
                v = s.value(frame)
            except (gdb.error, RuntimeError):
                continue
        children(v, s.name, out, 0)
        strings(v, s.name, out)
        add(record, out, 0 if s.is_argument else s.line)
    if record["number"] % 7 == 0:
        out = []
        for expr in os.environ["GLOBALS"].split():
            v = gdb.parse_and_eval(expr)
            children(v, expr, out, 1)
            strings(v, expr, out)
        add(record, out, 0)
    record["hits"] += 1


gdb.execute("starti", to_string=True)
rust = os.environ["LANGUAGE"] == "rust"
base = int(gdb.parse_and_eval("(unsigned long)$pc")) * 0
for line in gdb.execute("info proc mappings", to_string=True).splitlines():
    if os.environ["PROGRAM"] in line:
        base = int(line.split()[0], 16)
        break
if os.environ["PIE"] != "1":
    base = 0
places, points = {}, {}
for line in open(os.environ["PLACES"]):
    addr = int(line, 16)
    points[base + addr] = gdb.Breakpoint("*0x%x" % (base + addr), internal=True)
    points[base + addr].silent = True
try:
    while True:
        gdb.execute("continue", to_string=True)
        if not gdb.selected_inferior().pid:
            break
        frame = gdb.newest_frame()
        while frame.type() == gdb.INLINE_FRAME:
            frame = frame.older()
        pc = frame.pc()
        r = places.setdefault("%x" % (pc - base), {"line": gdb.find_pc_line(pc).line, "number": len(places), "hits": 0, "exprs": {}})
        hit(r, frame, pc)
        if r["hits"] >= HITS:
            points[pc].enabled = False
except gdb.error as e:
    if "not being run" not in str(e):
        places["error"] = str(e)
json.dump({"base": base, "places": places}, open(os.environ["OUT"], "w"))
gdb.execute("kill", to_string=True) if gdb.selected_inferior().pid else None
gdb.execute("quit")
