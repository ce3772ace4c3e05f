# agree.py PERF PT: of perf script's frames, how many stand at the same place of the same stack in pt-script's text. Names are compared without offsets, parameters and template arguments;
# and without scopes, which addr2line leaves out at times. The outermost frame of an address is perf's by DWARF, which knows aliases by another name (__libc_malloc is malloc)
# and calls them inlined: of that frame only the address counts, when frames are inlined there.
import re, sys
def stacks(path):
    now = []
    for line in open(path, errors="replace"):
        if line == "\n":
            yield now
            now = []
        elif line[0] in " \t" and now is not None:
            now.append(line)
    if now:
        yield now
def plain(name):
    out, depth = [], 0
    for i, c in enumerate(name):
        if c == "<" and name[max(0, i - 8):i] not in ("operator",): depth += 1
        elif c == ">" and depth: depth -= 1
        elif c == "(" and not depth and name[i:i + 10] != "(anonymous" and i: break
        elif not depth: out.append(c)
    return "".join(out).split("::")[-1].split(" ")[-1].split("@@")[0]
frame = re.compile(r"^\s*([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)$")
cache = {}
def key(line):
    k = cache.get(line)
    if k is None:
        m = frame.match(line)
        k = cache[line] = (m.group(1), plain(m.group(2))) if m else (line, "")
    return k
total = same = n = 0
def tidy(lines):
    """(address, name) of a stack's frames; "" for the name of an address's outermost."""
    keys = [key(x) for x in lines]
    return [(k[0], "" if inlines and (i + 1 == len(keys) or keys[i + 1][0] != k[0]) else k[1]) for i, k in enumerate(keys)]
inlines = len(sys.argv) > 3 and sys.argv[3] == "inlines"
for a, b in zip(stacks(sys.argv[1]), stacks(sys.argv[2])):
    a, b = tidy(a), tidy(b)
    n += 1
    total += len(a)
    same += sum(x == y for x, y in zip(a, b))
print("%.2f" % (100 * same / max(total, 1)) if n else "no stacks")
