# A program whose symbols, DWARF names, source file, path and comm hold escapes, quotes, markup, newlines and 60,000 characters: nothing of it reaches a terminal, a line's
# structure, JSON or SVG as more than text.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need gcc objcopy python3
need_root
dir=$'od\033]0;d\a' file=$'e\033[31m<b>"&.c'
mkdir "$dir"
cat > "$file" <<'C'
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
volatile unsigned sink;
static inline __attribute__((always_inline)) void victim_inline(void) { for (unsigned i = 0; i < 20000; i++) sink += i; }
void __attribute__((noinline)) victim_long(int forever)
{
	struct timespec t;
	do { victim_inline(); clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); } while (forever || (t.tv_nsec < 300000000 && !t.tv_sec));
	sink++;
}
void __attribute__((noinline)) victim_odd(int forever) { victim_long(forever); sink++; }
int main(int argc, char **argv) { (void)argv; prctl(PR_SET_NAME, "c\033[2J;<x>\"\n 1"); victim_odd(argc > 1); return 0; }
C
# the inlined function's name is in DWARF only, the others' in the symbol table
gcc -O2 -g -S -o prog.s "$file" && sed -i 's/"victim_inline"/"inl\\033[7m;<script>alert(1)<\/script>\\n 9"/' prog.s && gcc -o plain prog.s || fail "gcc"
long=$(printf 'L%.0s' $(seq 60000))
objcopy --redefine-sym "victim_odd=odd"$'\033[5m;\n\r"&<img>\177\302\233 1' --redefine-sym "victim_long=$long" plain "$dir/pr<o>g" || fail "objcopy"
# text FILE: no control character but newlines and tabs, no C1, valid UTF-8
text() {
	python3 - "$1" <<'P' || fail "$2: control characters, or no UTF-8: $(head -c 300 "$1" | cat -v)"
import sys
s = open(sys.argv[1], "rb").read().decode()
sys.exit(any((ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 for c in s) or len(s) == 0)
P
}
runs 0 pt-record -q -F 499 --call-graph dwarf -o data -- "$dir/pr<o>g" > out 2> err
runs 0 pt-stack data > folded 2> err
text folded "folded lines"; [ ! -s err ] || text err "messages"
# one stack is one line: comm, ..., main, odd, long, inlined, count
at_least "whole stacks" "$(grep -cE '^c[^;]*;([^;]*;)*main;odd[^;]*;.name of more than 16384 characters.;inl[^;]* [0-9]+$' folded)" 1
equal "lines of another form" "$(grep -v '^# ' folded | grep -cvE '^[^;]+(;[^;]*)* [0-9]+$')" 0
runs 0 pt-flame folded > svg 2> err
text svg "SVG"; ! grep -qE '<script>alert|<img>|<x>' svg || fail "markup in the SVG"
if command -v xmllint > /dev/null; then runs 0 xmllint --noout svg; fi
runs 0 pt-script -F comm,ip,sym,symoff,dso,srcline data > script 2> err
text script "pt-script"
at_least "frames" "$(grep -cE '^	 +[0-9a-f]+ odd.*\+0x[0-9a-f]+ \(' script)" 10
runs 0 pt-script -j -F +sym,+srcline data > json 2> err
text json "JSON"
python3 - <<'P' || fail "JSON"
import json
n = 0
for line in open("json"):
    s = json.loads(line)
    names = [x.get("sym", "") for x in s["stack"]]
    n += any(x.startswith("odd\x1b[5m;\n\r\"&<img>\x7f") for x in names) and any(x.startswith("inl\x1b[7m;<script>") for x in names)
assert n > 10, n
P
background "$dir/pr<o>g" forever
pid=$!
inside() { pt-stack --once -p $pid 2> err | grep -q ' odd'; }
until_true 60 inside || fail "--once: $(cat err)"
runs 0 pt-stack --once -l --modules -b -p $pid > once 2> err
text once "--once"
equal "lines of another form" "$(grep -cvE '^(PID [0-9]+ - process|TID [0-9]+:|#[0-9]+ +0x[0-9a-f]{16}( .*)?|    .+)$' once)" 0
