# Names and rules of code made at run time: jitdump by time, perf-PID.map of namespaces, of users, of those who mean no good; live and recorded.
. "$PT_TOP/tests/lib.sh"
need_root
[ "$(uname -m)" = x86_64 ] || skip "the program that makes code is for x86-64"
need unshare setpriv
jit=$PT_TOOLS/jit
spin			# both CPUs run: none is left idle with the program on it
MAIN='main;one;spin|main;two;spin'
# share FILE PATTERN: percent of the program's samples in spin() whose stack has it
share() { awk -v p="$2" '/^(jit|9);/ && /;spin/ { n += $NF; if ($0 ~ p) g += $NF } END { printf "%d\n", n < 20 ? -1 : g * 100 / n + 0.5 }' "$1"; }
# by_time NAME FILE: a third of the time as one, then as two, each stack whole
by_time() {
	at_least "$1: whole stacks in percent" "$(share "$2" "$MAIN")" 97
	at_least "$1: percent as one" "$(share "$2" ';one;spin')" 20
	at_most "$1: percent as one" "$(share "$2" ';one;spin')" 47
}
# names NAME FILE PERCENT-AT-LEAST-OR-0
names() {
	if [ "$3" = 0 ]; then equal "$1: percent named" "$(share "$2" ';(one|two)[^;]*;spin')" 0
	else at_least "$1: percent named" "$(share "$2" ';(one|two)[^;]*;spin')" "$3"; fi
}
runs 0 pt-stack -F 999 -- "$jit" dump plain > live.folded 2> live.err
by_time "live dump" live.folded
runs 0 pt-record -q -F 999 --call-graph dwarf -o dump.data -- "$jit" dump plain > dump.out 2> dump.err
runs 0 pt-stack dump.data > rec.folded 2> rec.err
by_time "recorded dump" rec.folded
runs 0 pt-script -F ip,sym,srcline,dso dump.data > rec.txt 2> rec.err
has "pt-script" "$(grep -m1 ' one+\| two+\| one \| two ' rec.txt)" "(/"
has "pt-script's module" "$(grep -m1 'jit-[0-9]*\.dump' rec.txt)" "jit-$(cat dump.out).dump)"
runs 0 pt-record -q -F 999 -k boottime --call-graph dwarf -o other.data -- "$jit" dump plain > other.out 2> other.err
runs 0 pt-stack other.data > other.folded 2> other.err
has "another clock" "$(cat other.err)" "have the code's last name"
equal "another clock: percent as one" "$(share other.folded ';one;spin')" 0
at_least "another clock: whole stacks in percent" "$(share other.folded "$MAIN")" 97
runs 0 pt-stack -F 999 -- "$jit" bare plain > bare.folded 2> bare.err
at_most "without unwinding records: whole stacks in percent" "$(share bare.folded "$MAIN")" 3
names "without unwinding records" bare.folded 97

# The map in a pid and mount namespace with a /tmp of its own, all of it gone by the time that names are looked up.
inside='exec 9< "$0" && mount -t tmpfs none /tmp && cd /tmp && exec /proc/self/fd/9 "$1" plain ${2:-}'	# its own file may lie in our /tmp
runs 0 pt-stack -F 999 -- unshare -pm --fork --mount-proc sh -c "$inside" "$jit" map > ns.folded 2> ns.err
names "namespace" ns.folded 97
runs 0 pt-stack -F 999 -- unshare -pm --fork --mount-proc sh -c "$inside" "$jit" dump > nsd.folded 2> nsd.err
by_time "dump in a namespace" nsd.folded
# A recording of such a namespace, read while its process still runs.
background unshare -pm --fork --mount-proc sh -c "$inside" "$jit" map 100000 > /dev/null
its_parent=$!
until_true 30 pgrep -P $its_parent -x 9 || fail "the program in the namespace does not run"
its=$(pgrep -P $its_parent -x 9)
until_true 30 test -s "/proc/$its/root/tmp/perf-1.map" || fail "the program in the namespace wrote no map"
runs 0 pt-record -q -F 999 --call-graph dwarf,1024 -p "$its" --for 1 -o running.data > running.out 2> running.err
runs 0 pt-stack running.data > running.folded 2> running.err
kill -9 "$its"
wait $its_parent 2> /dev/null || :
names "recorded in a namespace that is still there" running.folded 97
runs 0 pt-stack running.data > gone.folded 2> gone.err
names "recorded in a namespace that is gone" gone.folded 0
runs 0 pt-stack -F 999 -- setpriv --reuid 65534 --regid 65534 --clear-groups "$jit" map plain 50 > user.folded 2> user.err
names "another user's own" user.folded 97
rm -f "/tmp/perf-$(head -1 user.err).map"

# kind PERCENT-LIVE PERCENT-RECORDED (-: not tried)
while read -r kind live recorded; do
	runs 0 pt-stack -F 999 -- "$jit" map $kind 50 > "$kind.folded" 2> "$kind.err"
	rm -f "/tmp/perf-$(head -1 "$kind.err").map"*
	names "$kind" "$kind.folded" "$live"
	[ "$live" != 0 ] || [ $kind = link ] || [ $kind = fifo ] || has "$kind" "$(cat "$kind.err")" "are not used"
	[ "$recorded" != - ] || continue
	runs 0 pt-record -q -F 999 --call-graph dwarf,1024 -o "$kind.data" -- "$jit" map $kind 50 > "$kind.out" 2> "$kind.rec"
	runs 0 pt-stack "$kind.data" > "$kind.2" 2> "$kind.err2"
	rm -f "/tmp/perf-$(cat "$kind.out").map"*
	names "$kind, recorded" "$kind.2" "$recorded"
done <<'K'
odd 97 -
cut 40 97
huge 97 -
mode 0 -
owner 0 97
link 0 -
fifo 0 0
K
has "odd names" "$(grep -a -m1 one odd.folded)" 'one'
equal "lines with control characters" "$(cat odd.folded | LC_ALL=C grep -a -c '[[:cntrl:]]')" 0
has "owner, recorded" "$(cat owner.err2)" "in doubt"
runs 0 pt-record -q -F 999 --call-graph dwarf,1024 -o old.data -- "$jit" map old 50 > old.out 2> old.rec
runs 0 pt-stack old.data > old.folded 2> old.err
names "an old map" old.folded 0
has "an old map" "$(cat old.err)" "older than the process"
rm -f "/tmp/perf-$(cat old.out).map"
# How stacks are taken: a clock has no branch records on any machine.
pt-stack --call-graph lbr -e cpu-clock -- true > lbr.out 2> lbr.err; equal "lbr without branches" $? 1
has "lbr without branches" "$(cat lbr.err)" "no branch records"
pt-record --call-graph lbr -e cpu-clock -o lbr.data -- true > lbr.out 2> lbr.err; equal "recording lbr without branches" $? 1
has "recording lbr without branches" "$(cat lbr.err)" "no branch records"
