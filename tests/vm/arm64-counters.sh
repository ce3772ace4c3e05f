# Hardware counters, on an emulated arm64 machine that has some: what pt-list says opens does, names of sysfs, groups, raw events, samples; beside perf.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/vm/machine/arm64.sh"
build bin/pt-{list,stat,record,script}
cat > count.c <<'C'
#include <stdlib.h>
int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0;

	for (; n > 0; n--)
		__asm__ volatile("" ::: "memory");
	return 0;
}
C
"$cross/gcc" -O1 -static -o t/count count.c || fail "cross gcc"
cat > t/test.sh <<'T'
PATH=/t/bin:$PATH; cd /tmp/out
mount -t tracefs tracefs /sys/kernel/tracing 2> /dev/null
die() { echo "FAILED: $*"; exit 1; }
pt-list > names || die "pt-list"
pt-list -l hw cache pmu raw breakpoint > table || die "pt-list -l"
perf list 2> /dev/null > perf.list
pmu=$(sed -n 's,^\([^/]*\)/cpu_cycles/.*,\1,p' names)
[ -n "$pmu" ] || die "no PMU with cpu_cycles: $(cat table)"
# Instructions of 1,000,000 more rounds of a loop, by each name that they have: the same number each time, and perf's.
value() { grep -m1 -E '^[0-9]' "$1" | cut -d, -f1; }
for ev in instructions:u $pmu/inst_retired/u $pmu/event=8/u inst_retired:u r8:u $pmu/r8/u $pmu/config=0x8,name=mine/u $pmu/instructions/u; do
	for n in 0 1000000; do pt-stat -x, -o stat.$n -e $ev /t/count $n || die "pt-stat -e $ev"; done
	echo "$ev $(($(value stat.1000000) - $(value stat.0)))"
done > counts
for n in 0 1000000; do perf stat -x, -o stat.$n -e instructions:u /t/count $n || die "perf stat"; done
echo "perf $(($(value stat.1000000) - $(value stat.0)))" >> counts
pt-stat -x, -o group -e '{cycles,instructions,r11}:u,L1-dcache-loads' /t/count 100000 || die "group"
# More than there are counters: not together, but alone with :W.
many=r8,r11,r8,r11,r8,r11,r8,r11
pt-stat -x, -o strong -e "{$many}:u" /t/count 1000000 || die "strong group"
pt-stat -x, -o weak -e "{$many}:uW" /t/count 1000000 || die "weak group"
pt-record -q -o weak.data -c 100000 -e "{$many}:uW" /t/count 1000000 2> record.err || die "pt-record of a weak group: $(cat record.err)"
pt-script -F comm,event weak.data > weak.samples || die "pt-script"
pt-record -q -o samples.data -e cycles -c 100000 /t/count 3000000 2> record.err || die "pt-record: $(cat record.err)"
pt-script -F comm,event,period samples.data > samples || die "pt-script"
exit 0
T
"$machine/run" aarch64 "$B/vm" t out || { cat out/stdout out/stderr 2> /dev/null | tail -20; tail -5 out/console.log; fail "the machine ended with status $?"; }
cat out/counts
# A loop of one decrement and one branch: the same for all names, but for what an interrupt leaves (up to 2 were seen).
at_most "what counts by name differ by" "$(awk 'NR == 1 { min = max = $2 } { if ($2 < min) min = $2; if ($2 > max) max = $2 } END { print max - min }' out/counts)" 1000
# What opens is told right.
at_least "instructions" "$(awk 'NR == 1 { print $2 }' out/counts)" 2000000
equal "names" "$(wc -l < out/counts)" 9
grep -E '\[(Software|Hardware|Hardware cache|Tool|Kernel PMU) event\]' out/perf.list | sed -E 's/^ +//; s/ +\[[A-Za-z ]+\].*//; s/ OR .*//' | sort -u > perf.names
equal "of perf's names not listed" "$(grep -vxFf <(cat out/names; sed -n 's/^  [^ ]* OR \([^ ]*\) .*/\1/p' out/table) perf.names)" ""
grep -qx cycles out/names || fail "cycles is not listed"
grep -q '^  instructions ' out/table || fail "instructions: $(grep instructions out/table)"
equal "group" "$(grep -c '^[0-9]' out/group)" 3
grep -q '^<not supported>.*L1-dcache-loads' out/group || grep -q '^[0-9].*L1-dcache-loads' out/group || fail "cache event: $(cat out/group)"
at_most "counts of a group that has no room" "$(grep -c '^[0-9]' out/strong)" 7
equal "counts of a weak group" "$(grep -c '^[0-9]' out/weak)" 8
at_least "samples of a weak group" "$(grep -c count out/weak.samples)" 8
at_least "samples" "$(grep -c cycles out/samples)" 10
