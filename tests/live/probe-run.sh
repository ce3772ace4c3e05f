# A command run with probes of its own: its hits, its status; however it ends, nothing is left. And what is there for those who may not make any.
# variants: plain san
# alone: every pt-probe removes what dead ones left; tracefs is mounted anew
. "$PT_TOP/tests/lib.sh"
need_root; need_uprobes; need cc
name=ptq$$
cat > $name.c <<'C'
#include <unistd.h>
#include <stdlib.h>
__attribute__((noinline)) void tick(long i) { __asm__ volatile("" :: "r"(i)); }
int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0;

	for (long i = 0; i != n; i++) {
		tick(i);
		if (n < 0)
			usleep(1000);
	}
	return argc > 2 ? atoi(argv[2]) : 0;
}
C
cc -O1 -g -o $name $name.c 2> err || skip "no program can be built: $(head -3 err)"
left() { ! grep -q "_$name/" "$(tracefs)/uprobe_events"; }
# nothing WHAT: no probe is left, and no process of the tool's
nothing() { until_true 60 left || fail "$1: left: $(cat "$(tracefs)/uprobe_events")"; }

runs 7 pt-probe -x ./$name tick 'n=$arg1:s64' -- ./$name 100 7 > out 2> err
equal "hits" "$(grep -c "probe_$name:tick: ([0-9a-f]*) n=" out)" 100
equal "the last one" "$(tail -1 out | sed 's/.* n=//')" 99
empty "what is said" err
left || fail "left after a run"
runs 127 pt-probe -x ./$name tick -- ./not-there 2> err
has "no command" "$(cat err)" "./not-there"
left || fail "left after no command"
runs 0 pt-probe -x ./$name tick -j -- ./$name 3 > out 2> err
equal "JSON" "$(jq -r .event out | sort | uniq -c | tr -s ' ')" " 3 probe_$name:tick"
left || fail "left after JSON"
pt-probe -x ./$name tick -- ./$name -1 2> err | head -2 > out		# its reader goes: so does the command
equal "lines until the reader went" "$(wc -l < out)" 2
nothing "the reader went"

[ "$PT_VARIANT" = plain ] || exit 0
# A background job of a shell ignores Ctrl-C; that is put right.
for sig in INT TERM KILL; do
	setsid env --default-signal=INT,QUIT pt-probe -x ./$name tick -- ./$name -1 > out 2> err &
	p=$!
	until_true 60 test -s out || fail "no hit comes: $(cat err)"
	kill -$sig $p
	wait $p
	nothing "SIG$sig"
	pkill -x $name	# of this test alone
done

echo "== the tool and its guard killed together"
pt-probe -x ./$name stays=tick > stays
pt-probe -x ./$name tick -- ./$name -1 > living.out 2> err &
living=$!
pt-probe -x ./$name tick -- ./$name -1 > out 2> err &
p=$!
until_true 60 test -s out || fail "no hit comes: $(cat err)"
until_true 60 test -s living.out || fail "no hit comes to the other"
guard=$(for c in $(pgrep -P $p); do [ "$(cat /proc/$c/comm)" = $name ] || echo "$c"; done)
command=$(pgrep -P $p -x $name)
equal "one guard" "$(echo "$guard" | wc -w)" 1
kill -STOP "$guard"
kill -KILL "$guard" $p
wait $p
kill -KILL "$command" 2> /dev/null
groups() { sed -n "s|^p:\([^/]*\)/.*|\1|p" "$(tracefs)/uprobe_events" | grep "_$name\$" | sort | tr '\n' ' '; }
equal "left by those that were killed" "$(groups)" "$(printf '%s\n' "pt${p}_$name" "pt${living}_$name" probe_$name | sort | tr '\n' ' ')"
pt-probe -l "probe_$name:*" > list & pt-probe -l "probe_$name:*" > list2 2> err2; wait $!
equal "the next run removed them, and nothing else" "$(groups)" \
	"$(printf '%s\n' "pt${living}_$name" probe_$name | sort | tr '\n' ' ')"
equal "the note of who made them" "$(ls /run/pt-probe | grep -c "run:pt${p}_$name")" 0
has "what was made to stay" "$(cat list)" stays
kill -TERM $living
wait $living
pt-probe -d "$(cat stays)"
nothing "the end of both"
equal "notes" "$(ls /run/pt-probe | grep -c "_$name")" 0

echo "== without rights"
cp "$PT_BIN/pt-probe" . && chmod 755 pt-probe . && chmod a+rx $name $name.c
dir=$(tracefs) mode=$(stat -c '0%a' "$(tracefs)") group=$(stat -c %g "$(tracefs)")
at_exit restore
restore() { mount -o "remount,mode=$mode,gid=$group" "$dir"; }
mount -o remount,mode=0700,gid=0 "$dir" || { echo "tracefs cannot be mounted anew: the rest is left out"; exit 0; }
runs 1 as_nobody ./pt-probe -x ./$name tick 'it=$arg1' > out 2> err
empty "what is printed" out
has "the way out" "$(cat err)" "\`sudo ./pt-probe -x ./$name tick 'it=\$arg1'\`"
runs 1 as_nobody ./pt-probe -x ./$name tick -- ls > out 2> err
has "the way out, with a command" "$(cat err)" "\`sudo ./pt-probe -x ./$name tick -- ls\`"
runs 1 as_nobody ./pt-probe -l 2> err
has "the list" "$(cat err)" "Permission denied"
runs 0 as_nobody ./pt-probe -x ./$name -n tick n=i > out
has "a definition" "$(cat out)" "p:probe_$name/tick $PWD/$name:0x"
runs 0 as_nobody ./pt-probe -x ./$name -F 't*' > out
equal "functions" "$(cat out)" tick
runs 0 as_nobody ./pt-probe -x ./$name -L tick > out
has "lines" "$(cat out)" "      0  __attribute__((noinline)) void tick(long i)"
runs 0 as_nobody ./pt-probe -x ./$name -V tick > out
has "variables" "$(cat out)" "long int	i	%di:s64"
