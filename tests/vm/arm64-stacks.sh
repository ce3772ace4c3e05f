# Stacks on arm64, on a CPU that signs return addresses: pt built for it and run there. Against what really happened (single steps), of halted threads, sampled
# live and recorded; then the recordings read here, where they must give the same.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/vm/machine/arm64.sh"
build bin/pt-{stack,record,script} tests/tools/step
# Of other tests: what calls, what waits in handlers of signals, what spins.
sed -n '/^cat > calls.c/,/^C$/p' "$PT_TOP/tests/oracle/stack-step.sh" | sed '1d;$d' > calls.c
sed -n '/^cat > waits.c/,/^C$/p' "$PT_TOP/tests/live/stack-i386.sh" | sed '1d;$d' > waits.c
sed -n '/^cat > spins.c/,/^C$/p' "$PT_TOP/tests/live/stack-i386.sh" | sed '1d;$d; s/12000/1200/' > spins.c
F="-O2 -g -mbranch-protection=standard -fno-optimize-sibling-calls -fno-ipa-cp -pthread"
# With and without frame pointers; leaf functions that sign too, with the other key.
"$cross/gcc" $F -static -fomit-frame-pointer -o t/calls-signed calls.c && "$cross/gcc" $F -static -mbranch-protection=pac-ret+leaf+b-key -o t/calls-leaf calls.c &&
	"$cross/gcc" $F -fomit-frame-pointer -o t/waits waits.c &&
	"$cross/gcc" $F -fomit-frame-pointer -o t/spins spins.c && "$cross/gcc" $F -fno-omit-frame-pointer -o t/spins-fp spins.c || fail "cross gcc"
cat > t/test.sh <<'T'
PATH=/t/bin:$PATH; cd /tmp/out
die() { echo "FAILED: $*"; exit 1; }
grep -q paca /proc/cpuinfo || die "this CPU signs no addresses: $(cat /proc/cpuinfo)"
# 1. Every few steps the whole stack is as calls and returns say, handlers of signals included.
for p in signed leaf; do step 8 8200 /t/calls-$p > step.$p || die "calls-$p: $(cat step.$p)"; done
# 2. Threads that wait, in handlers of signals.
/t/waits & pid=$!
until [ "$(cat /proc/$pid/task/*/stat | sed 's/.*) //' | cut -c1 | sort | tr -d '\n')" = SSSSS ]; do sleep 0.1; done
pt-stack --once -p $pid > once 2> once.err || die "pt-stack --once"
[ ! -s once.err ] || die "$(cat once.err)"
kill $pid
# 3. Sampled live; recorded, and read here, by perf too.
e="-e cpu-clock:u -F 499"
pt-stack $e -- /t/spins > live.folded 2> live.err || die "live: $(cat live.err)"
pt-record -q $e --call-graph dwarf,8192 -o dwarf.data -- /t/spins 2> record.err || die "pt-record: $(cat record.err)"
pt-stack dwarf.data > dwarf.folded 2> dwarf.err || die "pt-stack: $(cat dwarf.err)"
pt-record -q $e --call-graph fp -o fp.data -- /t/spins-fp 2> record.err || die "pt-record: $(cat record.err)"
pt-stack fp.data > fp.folded 2> fp.err || die "pt-stack: $(cat fp.err)"
pt-script -F ip,sym fp.data > fp.mine 2> fp.mine.err || die "pt-script: $(cat fp.mine.err)"
perf script -F ip,sym -i fp.data > fp.perf 2> fp.perf.err || die "perf script: $(cat fp.perf.err)"
# The files that they ran, for whoever reads this elsewhere.
for f in /t/spins /lib/aarch64-linux-gnu/libc.so.6 /lib/ld-linux-aarch64.so.1; do mkdir -p "sys${f%/*}"; cp $f sys$f; done
exit 0
T
SMP=1 CPU=max,pauth-impdef=on ICOUNT= LIMIT=300 "$machine/run" aarch64 "$B/vm" t out || { cat out/stdout out/stderr 2> /dev/null | tail -20; tail -5 out/console.log; fail "the machine ended with status $?"; }
cat out/step.*
awk '/^TID/ { print s; s = "" } /^#/ { s = s ";" ($3 == "" ? ($2 ~ /^0x0+$/ ? "null" : "?") : $3) } END { print s }' out/once > chains
for want in ';on_signal;__kernel_rt_sigreturn;.*;raise;deep;deep;deep;deep;plain;' ';on_info;__kernel_rt_sigreturn;.*;raise;deep;deep;deep;info;' \
	';on_info;__kernel_rt_sigreturn;.*;raise;deep;deep;other;' ';on_info;__kernel_rt_sigreturn;null;crashes;crash;' ';read;waits;main;'; do
	equal "threads like $want" "$(grep -c -- "$want" chains)" 1
done
whole() {	# WHAT FOLDED: what is in leaf() has come all the way from _start, also through a handler
	awk -v who="$1" '/;leaf [0-9]+$/ { n += $NF; if (/^spins;_start;.*;main;(outer;)+middle;leaf / || /^spins;_start;.*;main;.*raise;.*;__kernel_rt_sigreturn;on_signal;(outer;)+middle;leaf /) good += $NF }
		END { print who ": " good " of " n; exit !(n >= 10 && good == n) }' "$2" || { grep leaf "$2" | head -5 >&2; fail "$1: not all stacks of leaf() are whole"; }
}
whole live out/live.folded
whole recorded out/dwarf.folded
# leaf() makes no frame: where middle() called it is in the link register alone.
awk '/;leaf [0-9]+$/ { n += $NF; if (/;middle;leaf /) good += $NF } END { print "by frame pointer: " good " of " n; exit !(n >= 10 && good == n) }' out/fp.folded ||
	{ grep leaf out/fp.folded | head -5 >&2; fail "by frame pointer: leaf() without its caller"; }
# As perf reads them, which believes the link register of functions that have a frame, too: then its second line is one too many. Of chains of one entry it leaves the caller out.
python3 - out/fp.mine out/fp.perf << 'P' || fail "call chains by frame pointer: not as perf reads them"
import sys
mine, perf = ([[line.split()[0] for line in s.split("\n") if line.strip()] for s in open(p).read().split("\n\n") if s.strip()] for p in sys.argv[1:])
bad = [(m, p) for m, p in zip(mine, perf) if m != p and m != p[:1] + p[2:] and not (len(p) == 1 and len(m) == 2 and m[0] == p[0])]
print(len(mine), "chains,", sum(m == p for m, p in zip(mine, perf)), "the same")
sys.exit(bad[0] if bad else len(mine) != len(perf))
P
# Here: the same, but for the name of the vdso's function, which was not brought along.
runs 0 pt-stack --symfs out/sys out/dwarf.data > here.folded 2> here.err
sed 's/__kernel_rt_sigreturn/[vdso]/g; s/__kernel[a-z_]*/[vdso]/g' out/dwarf.folded | grep -v '^#' | sort > there.folded
same_file "an arm64 recording read on $(uname -m)" there.folded <(grep -v '^#' here.folded | sort)
