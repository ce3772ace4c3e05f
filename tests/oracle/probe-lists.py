"""-L and -V beside perf's: each line that perf would probe, and each variable that it has there, is in ours, the variable with its place or with the reason why not; and the other way
round. What perf has otherwise, and why, is in SAYS."""
import json, os, re, shutil, subprocess, sys

SOURCE = r"""
#include <stdio.h>
#include <string.h>
struct node { int key; struct node *next; char name[8]; };
static int total;
static inline int square(int x)
{
	int twice = x * 2;

	total += twice;
	return x * x;
}
__attribute__((noinline)) int sum(struct node *list, int limit)
{
	int result = 0;
	struct node *n;

	for (n = list; n && result < limit; n = n->next) {
		int k = n->key;

		if (k & 1)
			result += square(k);
		else
			result -= k;
	}
	return result;
}
__attribute__((noinline)) long find(const char *text, const char *word)
{
	const char *at = strstr(text, word);
	size_t len = strlen(word);

	switch (len) {
	case 0:
		return -1;
	case 1:
		at = strchr(text, *word);
		break;
	default:
		if (!at)
			return -2;
	}
	{
		long off = at - text;

		total += (int)off;
		return off;
	}
}
int main(int argc, char **argv)
{
	struct node a = { 3, NULL, "a" }, b = { 4, &a, "b" };
	long f = find(argv[0], argc > 1 ? argv[1] : "v");

	printf("%d %ld %d\n", sum(&b, 100), f, total);
	return 0;
}
"""
# perf 6.1 dies of a signal over the line tables of clang's DWARF 5.
BUILDS = [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O1 -gdwarf-4")]
FUNCS = {"square": 6, "sum": 14, "find": 23, "main": 8}        # with their last lines
SAYS = {
    "behind the end": "perf goes on behind the end of a function that is inlined where its caller's lines are",
    "brace": "perf leaves out the line of the brace that opens a function, and where its code is",
    "shared": "perf leaves out a line whose first instruction another line of the function has too",
    "inlined here": "perf leaves out lines of a function where it is inlined",
    "of what is inlined": "perf lists variables of a function that is inlined at the place, under the caller's name",
    "constant": "perf leaves out what has a constant for its value",
}
seen = {}


def run(*args):
    p = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return p.returncode, p.stdout, p.stderr


def fail(text):
    print("FAILED:", text)
    sys.exit(1)


def why(reason):
    seen[reason] = seen.get(reason, 0) + 1


def ours(*args):
    return [json.loads(line) for line in run("pt-probe", "-j", *args)[1].splitlines()]


def addresses(prog, func, line):
    return {p["address"]: "within" in p for e in ours("-x", prog, "-n", f"{func}:{line}") for p in e["places"]}


def compare_lines(build, prog, func):
    theirs = {int(m[1]) for m in re.finditer(r"^ {4,6}( *\d+)  ", run("perf", "probe", "-x", prog, "-L", func)[1], re.M)}
    listed = ours("-x", prog, "-L", func)
    mine = {x["number"]: x["text"].strip() for x in listed if x["probeable"]}
    for line in theirs - set(mine):
        if line <= FUNCS[func]:
            fail(f"{build}: perf would probe {func}:{line}, and -L does not have it")
        why("behind the end")
    at = {line: addresses(prog, func, line) for line in mine}
    for line in set(mine) - theirs:
        if not at[line]:
            fail(f"{build}: -L has {func}:{line}, which cannot be probed")
        if mine[line] == "{":
            why("brace")
        elif any(set(at[line]) & set(at[other]) for other in mine if other != line):
            why("shared")
        elif any(at[line].values()) or func == "square":
            why("inlined here")
        else:
            fail(f"{build}: -L has {func}:{line} ({mine[line]}), perf does not")
    return sorted(theirs & set(mine))


def compare_variables(build, prog, func, line):
    status, text, err = run("perf", "probe", "-x", prog, "-V", f"{func}:{line}")
    theirs = {x.split("\t")[-1] for x in text.splitlines() if x.startswith("\t\t")} - {"(No matched variables)"}
    if status and not theirs:
        return 0
    mine = ours("-x", prog, "-V", f"{func}:{line}")
    for x in mine:
        if bool(x.get("fetch")) == bool(x.get("why")):
            fail(f"{build}: {func}:{line}: {x['name']} has neither a place nor a reason")
    names = {x["name"] for x in mine}
    for name in theirs - names:
        if not (func != "square" and name in ("x", "twice")):
            fail(f"{build}: {func}:{line}: perf has {name}")
        why("of what is inlined")
    for x in mine:
        if x["name"] not in theirs and x.get("fetch"):
            if not x["fetch"].startswith("\\"):
                fail(f"{build}: {func}:{line}: perf does not have {x['name']} ({x['fetch']})")
            why("constant")
    return len(theirs & names)


if not shutil.which("perf") or not shutil.which("gcc"):
    print("SKIP: perf or gcc is not installed")
    sys.exit(77)
with open("lists.c", "w") as f:
    f.write(SOURCE[1:])
lines = variables = 0
for compiler, options in BUILDS:
    if not shutil.which(compiler):
        continue
    prog = "./" + (compiler + options).replace(" ", "")
    if subprocess.run([compiler, "-g", *options.split(), "-o", prog, "lists.c"]).returncode:
        fail(f"{compiler} {options}")
    for func in FUNCS:
        both = compare_lines(prog, prog, func)
        lines += len(both)
        for line in both[::3]:
            variables += compare_variables(prog, prog, func, line)
print(f"{lines} lines, {variables} variables are in both;", ", ".join(f"{n} times: {SAYS[k]}" for k, n in seen.items()))
if lines < 45 or variables < 50:
    fail("too few to say something")
