# Hardware counters, in an emulated machine that has them: cycles and instructions of a loop of known length; more events than counters; groups; what pt-list says.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/vm/machine/arm64.sh"
build bin/pt-{stat,list,record,script}
# Two instructions a turn, and a few hundred around it; no library, so that nothing else is counted in user mode.
cat > loop.c <<'C'
void _start(void)
{
	__asm__ volatile("ldr x0, [sp, #16]\n mov x1, #0\n"
		"1: ldrb w2, [x0], #1\n cbz w2, 2f\n sub w2, w2, #48\n mov x3, #10\n madd x1, x1, x3, x2\n b 1b\n"
		"2: subs x1, x1, #1\n b.ne 2b\n mov x0, #0\n mov x8, #93\n svc #0\n");
	__builtin_unreachable();
}
C
"$cross/gcc" -O1 -nostdlib -static -fomit-frame-pointer -o t/loop loop.c || fail "cross gcc"
cat > t/test.sh <<'T'
PATH=/t/bin:$PATH; cd /tmp/out
die() { echo "FAILED: $*"; exit 1; }
value() { awk -F, -v ev="$1" '$3 == ev { print $1; exit }' "$2"; }
near() { awk -v got="$2" -v want="$3" -v percent="$4" 'BEGIN { exit !(got > want * (1 - percent / 100) && got < want * (1 + percent / 100)) }' || die "$1: $2, not $3 within $4 %"; }
# 1. A loop of 2 * 5,000,000 instructions; a cycle is the inverse of the clock's rate here: two an instruction.
pt-stat -x, -o one -e cycles:u,instructions:u,task-clock -- /t/loop 5000000 || die "pt-stat $?"
near instructions "$(value instructions:u one)" 10000000 1
perf stat -x, -o perf-one -e cycles:u,instructions:u,task-clock -- /t/loop 5000000 || die "perf stat $?"
near cycles "$(value cycles:u one)" "$(value cycles:u perf-one)" 1
grep -q 'insn per cycle' one || die "no instructions per cycle: $(cat one)"
# 2. As a group, and by the PMU's own names and a raw number.
pt-stat -x, -o group -e '{instructions:u,cycles:u}' -e r8:u,armv8_pmuv3/inst_retired/u -- /t/loop 5000000 2> err || die "pt-stat: $(cat err)"
near "by sysfs" "$(awk -F, '$3 ~ /inst_retired/ { print $1 }' group)" 10000000 1
near "instructions in a group" "$(value instructions:u group)" 10000000 1
near r8:u "$(value r8:u group)" 10000000 1
# 3. Twelve events, seven counters: each is scaled to within 5 % of the truth, and its share is shown.
e=; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do e=$e,instructions:u; done
pt-stat -x, -o many -e "${e#,}" -- /t/loop 300000000 || die "pt-stat $?"
awk -F, '$3 == "instructions:u" { n++; if ($5 < 99) shared++; if ($1 < 600000000 * 0.95 || $1 > 600000000 * 1.05) bad = 1 } END { exit !(n == 12 && shared > 3 && !bad) }' many ||
	die "scaled counts: $(cat many)"
pt-stat -o table -e "${e#,}" -- /t/loop 300000000 || die "pt-stat $?"
grep -q '([0-9][0-9]\.[0-9][0-9]%)$' table || die "no share in the table: $(cat table)"
# 4. What the machine does not have says so; the same events as in perf.
pt-stat -o mine -d -d -- /t/loop 100000 2> /dev/null || die "pt-stat -d -d"
perf stat -o perfs -d -d -- /t/loop 100000 2> /dev/null || die "perf stat -d -d"
names() { awk '/<not supported>/ { print $3 " -" } /^ +[0-9]/ && !/seconds/ { print ($2 == "msec" ? $3 : $2) " +" }' "$1"; }
names mine > a; names perfs > b
cmp a b || die "not the same events: $(diff a b)"
# 5. In intervals the parts add up to the whole; system-wide it counts too.
pt-stat -x, -I 20 --summary -o parts -e instructions:u -- /t/loop 30000000 || die "pt-stat -I"
awk -F, '/summary/ { whole = $2; next } /instructions/ && $2 ~ /^[0-9]/ { sum += $2; n++ } END { exit !(n > 1 && sum == whole && whole > 59000000) }' parts || die "parts and whole: $(cat parts)"
pt-stat -a -x, -o all -e instructions:u -- /t/loop 5000000 || die "pt-stat -a"
awk -F, '$3 == "instructions:u" { exit !($1 >= 10000000) }' all || die "system-wide: $(cat all)"
# 6. Listed, and sampled.
pt-list hw > hw.txt || die "pt-list hw"
grep -qw instructions hw.txt || die "pt-list hw: $(cat hw.txt)"
pt-record -q -e cycles:u -c 1000000 -o loop.data -- /t/loop 50000000 2> err || die "pt-record: $(cat err)"
n=$(pt-script -F ip loop.data | wc -l)
[ "$n" -ge 198 ] && [ "$n" -le 202 ] || die "200 samples, $n came"
exit 0
T
SMP=1 LIMIT=300 "$machine/run" aarch64 "$B/vm" t out || { cat out/stdout out/stderr 2> /dev/null | tail -20; tail -8 out/console.log; fail "the machine ended with status $?"; }
cat out/one out/many | grep -v '^#'
