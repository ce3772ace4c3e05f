# pt-annotate live: a command's hottest function; what cannot be shown is named with the reason.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need gcc
cat > prog.c <<'C'
#include <unistd.h>
volatile unsigned sink;
unsigned __attribute__((noinline)) hot(unsigned n)
{
	for (unsigned i = 0; i < 100000; i++)
		n = n * 1664525 + sink;
	return n;
}
int main(void) { for (unsigned i = 0; i < 4000; i++) sink += hot(i); return 7; }
C
gcc -O2 -g -o prog prog.c || fail "gcc"
runs 7 pt-annotate -- ./prog > out 2> err
has "source of the hottest function" "$(cat out)" 'n = n * 1664525 + sink;'
share() { awk -F' : ' '$1 ~ /^ *[0-9.]+$/ { s += $1 } END { printf "%d\n", s + 0.5 }' "$1"; }
equal "sum of the shares" "$(share out)" 100
runs 7 pt-annotate --lines -s hot -- ./prog > lines 2> err
has "lines" "$(cat lines)" 'n = n * 1664525 + sink;'
pt-record -F 999 -o prog.data -- ./prog > /dev/null 2>&1
runs 0 pt-annotate -i prog.data --no-source hot > one 2> err
strip -o bare prog
pt-record -F 999 -o bare.data -- ./bare > /dev/null 2>&1
runs 1 pt-annotate bare.data > out 2> err
has "a file without symbols" "$(cat err)" 'the file has no symbol for it'
# The file was built anew since: not its instructions.
gcc -O0 -g -o prog prog.c
pt-annotate -i prog.data hot > out 2> err && fail "instructions of another build: $(head -3 out)"
# Tabs and letters of source lines are as they are; a part that a compiler made of a function goes by its name.
printf 'volatile unsigned sink;\nstatic void __attribute__((noinline)) work(unsigned n, unsigned k)\n{\n\tfor (unsigned i = 0; i < n; i++)\n\t\tsink += i * k;\t/* \303\244 */\n}\nint main(void) { work(300000000, 3); }\n' > tab.c
gcc -O2 -g -o tab tab.c || fail "gcc"
for lines in --lines --print-line; do
	runs 0 pt-annotate $lines -s work -- ./tab > out 2> err
	has "a source line" "$(cat out)" '        sink += i * k;    /* ä */'
done
# Code made at run time: from a jitdump, with the lines of a source file beside it; a perf-PID.map has none.
if jit dump > /dev/null; [ $? != 77 ]; then
	rm -f jit-*.dump
	seq -f 'line %g of it' 110 > made.x
	pt-record -F 999 -o jit.data -- jit dump busy 500 > /dev/null 2>&1
	runs 0 pt-annotate jit.data one > out 2> err
	equal "all instructions" "$(sed -nE 's/^ +[0-9.]+ : +[0-9a-f]+: +//p' out | tr -s ' \n' ' ;')" 'push %rbp;xor %ebp,%ebp;sub $0x90,%rsp;call *%rdi;add $0x90,%rsp;pop %rbp;ret;'
	equal "sum of the shares" "$(share out)" 100
	has "source" "$(cat out)" '101   line 101 of it'
	runs 0 pt-annotate jit.data two > out 2> err
	equal "functions called two: as made, and where it was moved to" "$(grep -c 'ret *$' out)" 2
	has "source" "$(cat out)" '102   line 102 of it'
	pt-record -F 999 -o map.data -- jit map busy 200 > /dev/null 2>&1
	runs 1 pt-annotate map.data one > out 2> err
	has "names without code" "$(cat err)" 'no jitdump file holds its code'
	rm -f /tmp/perf-"$(jit map plain 1)".map
fi
if [ "$(id -u)" = 0 ]; then
	runs 0 pt-record -F 999 -o kernel.data -- dd if=/dev/zero of=/dev/null bs=1M count=20000 2> /dev/null
	pt-annotate -i kernel.data --dso '[kernel.kallsyms]' > out 2> err
	has "the kernel" "$(cat err)" "kernel's code is not read"
fi
