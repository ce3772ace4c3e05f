# inlines.py FRAMES OBJECT MAX: the frames at up to MAX addresses of an object's code, by the tool FRAMES and by llvm-symbolizer: names, files, lines.
# Known differences, left out here:
# - the outermost frame's name: llvm-symbolizer takes it from the ELF symbol, where there is one, pt from DWARF (its users put the ELF symbol in later). Among names for
#   one code (aliases, folded functions, .cold) each may choose.
# - an address that only an ELF symbol covers: llvm-symbolizer gives the file that the symbol table tells for it, with line 0.
import os, random, re, subprocess, sys
frames, obj, most = sys.argv[1], sys.argv[2], int(sys.argv[3])

def code(path):
    out = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        m = re.match(r" *\[ *\d+\] (\S+) +PROGBITS +([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+) +\S+ +(\w+) ", line)
        if m and "X" in m[4] and not m[1].startswith((".plt", ".init", ".fini")):
            yield range(int(m[2], 16), int(m[2], 16) + int(m[3], 16))

def answers(command, addresses):
    text = subprocess.run(command, input="".join(f"0x{a:x}\n" for a in addresses), capture_output=True, text=True, check=True, errors="replace").stdout
    out = []
    for block in text.split("\n\n"):
        lines = block.strip("\n").split("\n")
        if len(lines) > 1:
            out.append([(name, place(at)) for name, at in zip(lines[::2], lines[1::2])])
    return out

def place(text):
    m = re.match(r"(.*?):(\d+)(?::\d+)?$", text)
    return os.path.normpath(m[1]) + ":" + m[2] if m else text

addresses = [a for r in code(obj) for a in r]
if len(addresses) > most:	# mostly such as DWARF knows: a static program is full of others
    random.seed(4711)
    random.shuffle(addresses)
    addresses = addresses[:20 * most]
    known = [a for a, m in zip(addresses, answers([frames, obj], addresses)) if m[-1][0] != "??"]
    addresses = sorted(set(known[:most] + addresses[:most // 10]))
mine = answers([frames, obj], addresses)
theirs = answers(["llvm-symbolizer", "--inlining", "--functions=linkage", "--no-demangle", "--obj=" + obj], addresses)
if len(mine) != len(addresses) or len(theirs) != len(addresses):
    sys.exit(f"{obj}: {len(addresses)} addresses, {len(mine)} answers of pt's, {len(theirs)} of llvm-symbolizer's")
total = bad = named = inlined = 0
for a, m, t in zip(addresses, mine, theirs):
    total += len(t)
    inlined += len(t) - 1
    named += m[-1][0] != "??"
    if len(t) == 1 and len(m) == 1 and m[0][1] == "??:0" and t[0][1].endswith(":0"):
        continue
    wrong = abs(len(m) - len(t)) + sum(x[0] != y[0] for x, y in zip(m[:-1], t[:-1])) + sum(x[1] != y[1] for x, y in zip(m, t))
    if wrong and bad < 8:
        print(f"  {a:#x}\n    pt:   {m}\n    llvm: {t}")
    bad += wrong
print(f"{obj}: {len(addresses)} addresses, {total} frames, {inlined} of them inlined, {bad} differ; {named} named by DWARF")
sys.exit(bad * 1000 > total or inlined * 20 < total or named * 10 < len(addresses))
