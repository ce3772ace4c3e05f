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
has "the function's name without source" "$(sed -n 3p one)" ' <hot>:'
strip -o bare prog
pt-record -F 999 -o bare.data -- ./bare > /dev/null 2>&1
runs 1 pt-annotate -d bare bare.data > out 2> err
has "a file without symbols" "$(cat err)" 'the file has no symbol for it'
# The file was built anew since: not its instructions.
gcc -O0 -g -o prog prog.c
pt-annotate -i prog.data hot > out 2> err && fail "instructions of another build: $(head -3 out)"
# A program that is gone, or was never among this machine's own files (a container's): shown while it runs; of its recording refused, with the reason.
gcc -O2 -g -o prog prog.c
cat > gone.sh <<'S'
./gone & pid=$!
for i in $(seq 500); do [ /proc/$pid/exe -ef gone ] && break; sleep 0.01; done
rm gone
wait $pid
S
cp prog gone
runs 7 pt-annotate -s hot -- sh gone.sh > out 2> err
has "instructions of a deleted program" "$(cat out)" 'imul '
cp prog gone
pt-record -F 999 -o gone.data -- sh gone.sh > /dev/null 2>&1
pt-annotate -d gone gone.data > out 2> err
has "a recording of a deleted program" "$(cat err)" 'in gone ('
has "the reason" "$(cat err)" 'the file that ran is not here'
if [ "$(id -u)" = 0 ] && gcc -O2 -g -static -o boxed prog.c 2> /dev/null; then
	mkdir -p box/app && mv boxed box/app/
	runs 7 pt-annotate -s hot -- chroot box /app/boxed > out 2> err
	has "instructions of a program in another root" "$(cat out)" 'imul '
	pt-record -F 999 -o boxed.data -- chroot box /app/boxed > /dev/null 2>&1
	pt-annotate boxed.data > out 2> err
	has "its recording" "$(cat err)" 'in boxed ('
	has "the reason" "$(cat err)" 'the file that ran is not here'
	runs 0 pt-annotate --symfs box -i boxed.data -s hot > out 2> err
	has "its recording, with its root" "$(cat out)" 'imul '
fi
# Tabs and letters of source lines are as they are; a part that a compiler made of a function goes by its name.
printf 'volatile unsigned sink;\nstatic void __attribute__((noinline)) work(unsigned n, unsigned k)\n{\n\tfor (unsigned i = 0; i < n; i++)\n\t\tsink += i * k;\t/* \303\244 */\n}\nint main(void) { work(300000000, 3); }\n' > tab.c
gcc -O2 -g -o tab tab.c || fail "gcc"
for lines in --lines --print-line; do
	runs 0 pt-annotate $lines -s work -- ./tab > out 2> err
	has "a source line" "$(cat out)" '        sink += i * k;    /* ä */'
done
# A point may be of the name itself.
cat > points.c <<'C'
volatile unsigned sink;
static void __attribute__((noinline)) package(void) __asm__("main.hot");
static void __attribute__((noinline)) part(void) __asm__("other.cold.7");
static void package(void) { for (unsigned i = 0; i < 100000000; i++) sink += i; }
static void part(void) { for (unsigned i = 0; i < 100000000; i++) sink += i; }
int main(void) { package(); part(); }
C
gcc -O1 -o points points.c || fail "gcc"
runs 0 pt-record -F 999 -o points.data -- ./points 2> err
runs 0 pt-annotate -i points.data --lines other > out 2> err
has "samples without a source line" "$(cat out)" '100.00 :  [no source line]'
runs 0 pt-annotate -i points.data other > out 2> err
has "a part of other" "$(cat out)" ' <other.cold.7>:'
# main.hot is another function than main, which mostly has no samples.
pt-annotate -i points.data -s main > out 2> err
grep -q '<main>:' out || has "what is said of main" "$(cat err)" 'no code of main has samples'
! grep -q '<main\.hot>:' out || fail "main.hot is taken for main: $(cat out)"
# Shares at calls; blocks; source elsewhere.
cat > calls.c <<'C'
volatile unsigned sink;
unsigned __attribute__((noinline)) leaf(unsigned n) { while (n--) sink += n; return n; }
unsigned __attribute__((noinline)) twice(unsigned n) { leaf(300 * n); leaf(100 * n); return n + 1; }
int main(void) { for (int i = 0; i < 500; i++) sink += twice(4000); return 0; }
C
gcc -O1 -g -o calls calls.c || fail "gcc"
runs 0 pt-record -F 999 --call-graph dwarf -o calls.data -- ./calls 2> err
runs 0 pt-annotate -i calls.data --no-source twice > out 2> err
sed -nE 's/.*<leaf> +\(([0-9]+)\.[0-9]+% below\)/\1/p' out > below
equal "calls" "$(wc -l < below)" 2
at_least "the first call" "$(head -1 below)" 65
at_most "the second call" "$(tail -1 below)" 35
runs 0 pt-annotate -i calls.data -j twice > out 2> err
equal "sum at calls" "$(jq -s '[.[].below_percent // empty] | add > 95 and add <= 100' out)" true
runs 0 pt-annotate -i calls.data --no-source leaf > out 2> err
grep -qE ": +[|]*,-*> " out && grep -qE ": +[|]*'-* j" out || fail "no arrow: $(cat out)"
runs 0 pt-annotate -i calls.data --no-source --blocks leaf > out 2> err
has "the hottest block first" "$(sed -n 4p out)" 'loop from'
grep ' : *block of' out > blocks
equal "sum of the blocks" "$(share blocks)" 100
equal "sum of their instructions" "$(grep -v ' : *block of' out > insns; share insns)" 100
# A system call is shown with what the kernel did; interrupts, which come at any instruction, are not.
runs 0 pt-record -F 999 -g -o write.data -- dd if=/dev/zero of=/dev/null bs=1 count=500000 2> err
pt-annotate -n -i write.data -s '*write' > out 2> err
at_least "samples below the system call" "$(sed -nE 's/.*syscall +\(([0-9]+) below\)/\1/p' out | head -1)" 10
# Most samples are in the kernel, whose code need not be at hand: what can be shown is.
runs 0 pt-annotate -i write.data > out 2> err
has "a function that can be shown" "$(cat out)" 'Percent | '
pt-annotate -n -i write.data -s '*write' > out 2> err
grep below out | grep -vE 'call +' && fail "below what calls nothing: $(cat out)"
mkdir -p src/elsewhere && mv calls.c src/elsewhere && sed -i 's/sink += n/sink += n + 0/' src/elsewhere/calls.c
folders=$(pwd | tr -cd / | wc -c)
runs 0 pt-annotate -i calls.data --prefix "$PWD/src/elsewhere" --prefix-strip "$folders" leaf > out 2> err
has "source below the prefix" "$(cat out)" 'sink += n + 0'
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
	# Without a vmlinux: from /proc/kcore, or the reason. With one (made here: a function a page): its functions.
	pt-annotate -i kernel.data --dso '[kernel.kallsyms]' > out 2> err
	[ -r /proc/kcore ] && grep -q ' : *ffffffff[0-9a-f]*: ' out || has "the kernel" "$(cat err)" "no /proc/kcore"
	{ echo '.globl _text; _text:'; for i in $(seq 6000); do echo ".type made$i,@function; made$i: .fill 4095,1,0x90; ret; .size made$i,4096"; done; } > vmlinux.s
	gcc -nostdlib -static -Wl,--build-id=none,-Ttext=0xffffffff82000000,-e0 -o vmlinux vmlinux.s 2> gcc.err || fail "gcc: $(cat gcc.err)"
	runs 0 pt-annotate -n --vmlinux vmlinux -i kernel.data -d '[kernel.kallsyms]' > out 2> err
	at_least "samples in the kernel" "$(awk -F' : ' '$1 ~ /^ *[0-9]+$/ { s += $1 } END { print s }' out)" 10
	has "its code" "$(cat out)" ':  nop'
fi
