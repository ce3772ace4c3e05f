#!/bin/bash
# Another user's programs that are made to cost much, beside a genuine one: the whole machine's profile has the genuine
# program complete and with its names, and the tool stays below 512 MB.
# variants: plain
. "$PT_TOP/tests/lib.sh"
need_root; need python3 gcc setpriv objcopy
hostile() { python3 "$PT_TOP/tests/lib/hostile.py" "$@" || fail "cannot make $1"; }
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
chmod 755 . && mkdir -p bad && chmod 777 bad

cat > spin.c <<'C'
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile unsigned long n;
__attribute__((noinline)) void innermost(void) { for (int i = 0; i < 100000; i++) n++; }
__attribute__((noinline)) void outer_one(void) { innermost(); n++; }
__attribute__((noinline)) void outer_two(void) { outer_one(); n++; }
int main(void) { for (;;) outer_two(); }
C
gcc -g -O1 -o genuine spin.c || fail "spin.c"

# Sections of hostile files in a program that runs: its samples make the tool read them.
for case in units packed notes names; do
	hostile $case $case.elf
	sections=$(objdump -h $case.elf | awk '$2 ~ /^\.(debug|symtab|strtab|note)/ { print $2 }' | sort -u)
	cp genuine bad/$case && strip bad/$case
	for s in $sections; do
		objcopy -O binary --only-section="$s" --set-section-flags "$s=alloc" $case.elf section.bin 2> /dev/null && [ -s section.bin ] &&
			objcopy --add-section "$s=section.bin" bad/$case 2> /dev/null
	done
done
cp genuine bad/longer && truncate -s 1G bad/longer
cp genuine bad/hole && objcopy --strip-all --add-gnu-debuglink=genuine bad/hole && truncate -s 64G bad/genuine
# A program that maps code without a file, and has 21 MB of names for it.
cat > jit.c <<'C'
#include <string.h>
#include <sys/mman.h>
int main(void)
{
	static const unsigned char loop[] = { 0xeb, 0xfe };
	char *p = mmap((void *)0x10000000, 1 << 20, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	memcpy(p, loop, sizeof(loop));
	((void (*)(void))p)();
}
C
gcc -O1 -o bad/jit jit.c || fail "jit.c"
hostile map "map" 1000000
for p in bad/units bad/packed bad/notes bad/names bad/longer bad/hole; do [ -x $p ] && background setpriv --reuid=65534 --regid=65534 --clear-groups ./$p; done
background setpriv --reuid=65534 --regid=65534 --clear-groups ./bad/jit
jit=$!
nobody cp map "/tmp/perf-$jit.map"
remove_map() { rm -f "/tmp/perf-$jit.map"; }
at_exit remove_map
background setpriv --reuid=65534 --regid=65534 --clear-groups sh -c 'while :; do /bin/true; /bin/true; /bin/true; done'
background ./genuine

"$PT_TOOLS/measure" -n 1 "$PT_BIN/pt-stack -a -F 199 --for 5 > out 2> err" > cost || fail "pt-stack: $(cat err)"
awk '{ print $4 }' cost > kb
at_most "KB of pt-stack" "$(cat kb)" $((512 * 1024))
for p in units packed notes names longer hole jit; do grep -q "^$p;" out || fail "no sample of $p: the test tests nothing"; done
want='genuine;.*main;outer_two;outer_one;innermost'
all=$(awk '/^genuine;/ { n += $NF } END { print n + 0 }' out)
good=$(awk -v want="^$want" '$0 ~ want { n += $NF } END { print n + 0 }' out)
at_least "samples of the genuine program" "$all" 20
# Few samples lie between the functions, at a prologue or at the loop of main().
[ $((good * 100)) -ge $((all * 90)) ] || fail "$good of $all samples have the whole stack: $(grep '^genuine;' out | sort -t' ' -k2 -n | tail -5)"
