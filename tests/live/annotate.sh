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
if [ "$(id -u)" = 0 ]; then
	runs 0 pt-record -F 999 -o kernel.data -- dd if=/dev/zero of=/dev/null bs=1M count=20000 2> /dev/null
	pt-annotate -i kernel.data --dso '[kernel.kallsyms]' > out 2> err
	has "the kernel" "$(cat err)" "kernel's code is not read"
fi
