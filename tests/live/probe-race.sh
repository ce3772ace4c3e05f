# Scripts that make, use and delete the same probes at the same time, forced: none fails for another one, each counts its own run, nothing is left. Without --force one gets the name.
. "$PT_TOP/tests/lib.sh"
need_root; need_uprobes; need cc
name=ptr$$
at_exit gone
gone() { until_true 30 sh -c "pt-probe -d 'probe_$name*:*' 2>&1 | grep -q 'no probe matches'"; } > /dev/null
cat > prog.c <<'C'
__attribute__((noinline)) int work(int x);
__attribute__((noinline)) int work(int x) { __asm__ volatile(""); return x * 3; }
int main(void) { int s = 0, i; for (i = 0; i < 5; i++) s += work(i); return s == 1; }
C
mkdir -p a b
cc -g -O1 -o a/$name prog.c 2> err || skip "no program can be built: $(head -3 err)"
cc -g -O2 -o b/$name prog.c
# counted WHO DIR POINT...: makes it, runs the program, deletes it
counted() {
	local who=$1 dir=$2 ev n; shift 2
	ev=$(pt-probe --force -x ./"$dir/$name" "$@" 2> "err.$who") || { echo "$who: $*: $(cat "err.$who")"; return; }
	n=$(pt-stat -x, -o /dev/stdout -e "$ev" "./$dir/$name" 2>&1 | awk -F, '/probe_/ { s += $1 } END { print s }')
	[ "$n" = 5 ] || echo "$who: $ev: $n hits"
	pt-probe -d "$ev" 2> "err.$who" || echo "$who: -d $ev: $(cat "err.$who")"
}
script() {
	local dir=$2 i
	for i in 1 2; do
		counted "$1" "$dir" work
		counted "$1" "$dir" "of_$1=work" x
		pt-probe -x "./$dir/$name" work x -- "./$dir/$name" > "out.$1" 2> "err.$1" || echo "$1: a command: $(cat "err.$1")"
		[ "$(grep -c " probe_$name:work: " "out.$1")" = 5 ] || echo "$1: hits of a command: $(wc -l < "out.$1")"
	done
}
for i in 1 2 3 4 5; do
	script $i "$([ $((i % 2)) = 0 ] && echo a || echo b)" > said.$i &
	pids="${pids-} $!"
done
# shellcheck disable=SC2086
wait $pids
cat said.* > said
empty "what failed" said
runs 1 pt-probe -l "probe_$name*:*" > left 2> err
empty "probes that are left" left
pids=
for i in 1 2 3 4 5; do
	pt-probe -x ./a/$name work > made.$i 2> err.$i & pids="$pids $!"
done
# shellcheck disable=SC2086
wait $pids
equal "the name of all that were made" "$(cat made.*)" "probe_$name:work"
equal "those that failed for it" "$(cat err.* | grep -c "probe_$name:work exists already")" 4
