# A hundred runs that end at a random moment by Ctrl-C, SIGTERM or SIGKILL, some of the command instead: no probe is left, and no event is enabled.
. "$PT_TOP/tests/lib.sh"
need_root; need_uprobes; need cc
name=ptl$$
cat > $name.c <<'C'
#include <unistd.h>
__attribute__((noinline)) void tick(long i) { __asm__ volatile("" :: "r"(i)); }
int main(void) { for (long i = 0;; i++) { tick(i); usleep(500); } }
C
cc -O1 -o $name $name.c 2> err || skip "no program can be built: $(head -3 err)"
at_exit ours
ours() { pkill -KILL -x $name; }
left() { ! grep -q "_$name/" "$(tracefs)/uprobe_events" && ! grep -q "_$name:" "$(tracefs)/set_event"; }
RANDOM=${SEED:-$$}
echo "seed ${SEED:-$$}"
kinds=
for n in $(seq 100); do
	sig=$(set -- INT TERM KILL; shift $((RANDOM % 3)); echo "$1")
	whom=tool; [ $((RANDOM % 5)) -gt 0 ] || whom=command
	# a background job of a shell ignores Ctrl-C; that is put right
	setsid env --default-signal=INT,QUIT pt-probe -x ./$name tick '$arg1' -a 'again=tick%return' -- ./$name > out 2> err &
	p=$!
	# a signal that comes before `env` has put that right is lost
	while read -r comm < /proc/$p/comm && [ "$comm" != pt-probe ]; do :; done
	sleep 0.0$((RANDOM % 10))$((RANDOM % 10))
	if [ $whom = command ]; then
		until_true 30 pgrep -x -P $p $name || fail "run $n: the command does not start: $(cat err)"
		pkill -$sig -x $name
	else
		kill -$sig $p 2> /dev/null
	fi
	wait $p 2> /dev/null
	until_true 60 left || fail "run $n, SIG$sig to the $whom: left: $(cat "$(tracefs)/uprobe_events")"
	pkill -KILL -x $name
	kinds="$kinds $sig-$whom"
done
echo "$kinds" | tr ' ' '\n' | sort | uniq -c
for f in "$(tracefs)"/events/pt[0-9]*_$name; do [ ! -e "$f" ] || fail "$f is left"; done
