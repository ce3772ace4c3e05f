"""Definitions by the kernel's debug information beside those of `perf probe -k vmlinux -D`, for functions drawn by lot: entries, parameters, a line with its variables. Places are compared
by address, arguments by what is fetched; what perf has otherwise must be one of the reasons in SAYS."""
import json, os, random, re, shutil, subprocess, sys

COUNT, SEED = int(os.environ.get("VMLINUX_FUNCTIONS", "40")), int(os.environ.get("VMLINUX_SEED", "1"))
SAYS = {
    "part": "perf takes a part that the compiler split off for an entry of the function",
    "closed": "a place that is gone after the start, or that the kernel lets nobody probe, is refused",
    "twins": "of two functions of a name perf tells both by the name, which means one of them",
    "rows": "perf takes several rows of the line where its code is in one piece",
    "entry": "perf takes the lowest address of what is inlined, not where it is entered",
    "macro": "perf takes the line in all functions that a macro makes of it",
    "computed": "perf reads memory at a value that is computed",
    "structure": "perf fetches a structure's first bytes, or its address, as a number",
    "address": "perf fetches what stands at an address for the address",
    "inner": "perf takes the variable of an outer function, one that is inlined has its own",
    "other": "perf lists variables of what is inlined at the place",
    "refused": "perf refuses what can be probed",
    "empty": "perf takes an address where an inlined function has no instruction of its own, and does not say so",
    "inlined": "perf lists a parameter of what is inlined into the function",
    "more": "pt has a place, or an argument, that perf does not",
}
# Single ones: (point, argument) -> reason. There `v` is atomic_read()'s.
KNOWN = {("ring_buffer_record_is_set_on $params", "v"): "inlined"}
seen, bad, inlined_at = {}, [], set()


def run(*args):
    p = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return p.stdout, p.stderr


def why(reason, n=1):
    seen[reason] = seen.get(reason, 0) + n


def split_definition(text):
    """Its place, and its arguments: name -> what is fetched, without the type."""
    m = re.match(r"[pr]\d*:\S+ (\S+)(.*)", text)
    return m[1] if "+" in m[1] else m[1] + "+0", {n: re.sub(r":[a-z]\w*(\[\d+\])?$", "", v) for n, v in (a.split("=", 1) for a in m[2].split())}


def address(symbols, place):
    name, off = place.rsplit("+", 1)
    return {a + int(off, 0) for a in symbols.get(name, [])}


def of_perf(symbols, text):
    places = []
    for line in text.splitlines():
        if re.match(r"[pr]\d*:", line):
            place, args = split_definition(line)
            places.append((place, address(symbols, place), args))
    return places


def of_pt(text):
    places = []
    for line in text.splitlines():
        for p in json.loads(line)["places"]:
            places.append((split_definition(p["definition"])[0], int(p["address"], 16), split_definition(p["definition"])[1]))
            if "within" in p:
                inlined_at.add(int(p["address"], 16))
    return places


def explain_place(place, theirs, ours, said, point):
    symbol = place.rsplit("+", 1)[0]
    if ".part." in symbol or ".cold" in symbol or ".constprop" in symbol:
        return "part"
    if "none of them can be fetched here" in said:
        return "computed"
    if "thrown away" in said or "lets nobody probe" in said or "no symbol of the kernel is near" in said:
        return "closed"
    if ":" in point and any(symbol == p.rsplit("+", 1)[0] for p, _, _ in ours):
        return "rows"
    if ":" in point and len({p.rsplit("+", 1)[0] for p, _, _ in theirs}) > 1:
        return "macro"
    if any(symbol == p.rsplit("+", 1)[0] for p, _, _ in ours):
        return "entry"
    if "left out: " + symbol in said:
        return "computed"
    return None


def explain_argument(name, theirs, ours, said, within):
    if ours is None:
        if re.search(rf"\b{re.escape(name)}: it is (a structure|a union|an array)", said):
            return "structure"
        if re.search(rf"\b{re.escape(name)}: it is (computed|optimised out|what )", said) or re.search(rf"\b{re.escape(name)}: it has no value", said):
            return "computed"
        if re.search(rf"\b{re.escape(name)}: it is (the address|a variable|in pieces|a floating)", said):
            return "address"
        return "other" if within or theirs.startswith("\\") else None
    if theirs == f"+0({ours})" or re.sub(r"^[+-]\d+\((.*)\)$", r"\1", theirs) == ours:
        return "computed"
    if ours.startswith("\\") and theirs.startswith("\\") and int(ours[1:], 0) == int(theirs[1:], 0):
        return "same"
    return "inner" if within else None


def compare(symbols, point, perf, pt):
    theirs, ours, said = of_perf(symbols, perf[0]), of_pt(pt[0]), pt[1]
    if not theirs:
        why("refused" if ours else "neither")
        return
    at = {}
    for place, a, args in ours:
        at.setdefault(a, []).append(args)
    matched = set()
    m = re.search(r"inlined in (\d+) more places, where no instruction is its own", said)
    empty = int(m[1]) if m else 0
    for place, addresses, args in theirs:
        hit = addresses & set(at)
        if not addresses:
            bad.append(f"{point}: perf's {place} is not in the image")
        elif not hit:
            reason = explain_place(place, theirs, ours, said, point)
            if not reason and empty:
                reason, empty = "empty", empty - 1
            why(reason) if reason else bad.append(f"{point}: perf has {place}, pt {[p for p, _, _ in ours]}: {said[:200]}")
        else:
            why("places")
            if len(addresses) > 1:
                why("twins")
            matched |= hit
            for name, fetch in args.items():
                mine = [m.get(name) for h in hit for m in at[h]]
                if fetch in mine:
                    why("arguments")
                    continue
                reason = KNOWN.get((point, name)) or explain_argument(name, fetch, next((m for m in mine if m), None), said, ":" in point or hit & inlined_at)
                why(reason) if reason else bad.append(f"{point}: {place}: perf fetches {name}={fetch}, pt {mine}: {said[:200]}")
    why("more", len(set(at) - matched))


def points_of(pt, image, names, inlined):
    for name in names + inlined:
        yield name
        yield f"{name} $params"
        lines = [x["number"] for x in map(json.loads, run(pt, "-k", image, "-j", "-L", name)[0].splitlines()) if x["probeable"]]
        if lines:
            yield f"{name}:{random.choice(lines)} $vars"


def main():
    image = os.path.join(os.environ["B"], "vm/x86_64/vmlinux")
    if not shutil.which("perf"):
        print("SKIP: perf is not installed")
        sys.exit(77)
    if subprocess.run([os.environ["PT_TOP"] + "/tests/vm/machine/vmlinux", "--check", os.environ["B"] + "/vm"]).returncode:
        print("SKIP: the debug information of the machine's kernel is not here: make check-vmlinux fetches it (280 MB)")
        sys.exit(77)
    symbols, names = {}, set()
    for line in run("readelf", "-sW", image)[0].splitlines():
        w = line.split()
        if len(w) == 8 and w[3] in ("FUNC", "NOTYPE") and w[6] != "UND":
            symbols.setdefault(w[7], set()).add(int(w[1], 16))
            if w[3] == "FUNC" and "." not in w[7]:
                names.add(w[7])
    inlined = [f["function"] for f in map(json.loads, run("pt-probe", "-k", image, "-j", "-F", "--inlined")[0].splitlines()) if f["inlined"]]
    random.seed(SEED)
    names = random.sample(sorted(names), COUNT)
    inlined = random.sample(sorted(inlined), COUNT // 6)
    for point in points_of("pt-probe", image, names, inlined):
        compare(symbols, point, run("perf", "probe", "-k", image, "-D", point), run("pt-probe", "-k", image, "-n", "-j", "-a", point))
    print(f"{seen.get('places', 0)} places and {seen.get('arguments', 0)} arguments are the same;", ", ".join(f"{n} times: {SAYS[k]}" for k, n in seen.items() if k in SAYS))
    if bad:
        print("FAILED: without a reason:")
        print("\n".join(bad))
        sys.exit(1)
    if seen.get("places", 0) < 2 * COUNT or seen.get("arguments", 0) < 2 * COUNT:
        print("FAILED: too few to say something")
        sys.exit(1)


if __name__ == "__main__":
    main()
