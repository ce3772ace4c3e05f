# Signals to a tool that looks for names when its session is over: the first one ended the session, a second one leaves addresses for the rest, a third one exits.
# A server of debug files that keeps its answer makes the search for names last.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need gcc python3
ldconfig -p | grep -q libdebuginfod.so.1 || skip "no libdebuginfod1"
cat > server.py <<'PY'
import http.server, os, sys, time
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        open("asked", "w")
        while not os.path.exists("go"):
            time.sleep(0.02)
        self.send_error(404)
    def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
open("port.new", "w").write(str(s.server_port)); os.rename("port.new", "port")
s.serve_forever()
PY
cat > turns.c <<'C'
int main(void) { volatile unsigned long n; for (;;) n++; }
C
gcc -O1 -Wl,--build-id -s -o turns turns.c || fail "turns.c"
# Libraries of libdebuginfod keep memory until the end, and are unloaded by then: no suppression would know them.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
background python3 server.py
until_true 60 [ -s port ] || fail "no server"
export DEBUGINFOD_URLS=http://127.0.0.1:$(cat port) DEBUGINFOD_CACHE_PATH=$PWD/cache DEBUGINFOD_TIMEOUT=100 XDG_CACHE_HOME=$PWD/xdg
background ./turns
turns=$!

# begin SIGNAL: a session that the signal ends, until its search for names waits for the server
begin() {
	rm -rf asked go cache xdg
	background pt-stack --debuginfod --stack-size 1K -e cpu-clock:u -F 997 -p $turns > out 2> err
	tool=$!
	until_true 60 grep -q '^SigBlk:.*[4-7c-f]..[2367abef]$' /proc/$tool/status || fail "the session does not take signals"
	from=$(cut -d' ' -f1 /proc/$turns/schedstat)
	until_true 60 eval '[ $(cut -d" " -f1 /proc/$turns/schedstat) -gt $((from + 200000000)) ]' || fail "turns does not run"
	kill -"$1" $tool
	until_true 60 [ -e asked ] || fail "nothing was asked for: $(cat out err)"
}

begin INT				# one: all is printed
touch go
wait $tool || fail "status after one signal: $(cat err)"
grep -q '^turns;.*\[turns\]' out || fail "no stack of turns: $(cat out)"

for sig in INT TERM; do
	begin INT
	kill -$sig $tool		# two: the server's answer is still waited for, the rest goes by addresses
	until_true 60 grep -q '^SigPnd:.0*$' /proc/$tool/status
	touch go
	wait $tool
	equal "status after two signals" $? 0
	grep -q '^turns;.*0x[0-9a-f]' out || fail "no addresses: $(cat out err)"
	grep -q 'places are shown by address: a second signal ended the search for names$' err || fail "no word of it: $(cat err)"
	begin TERM
	kill -$sig $tool
	sleep 0.2			# two of the same kind would be one
	kill -$sig $tool
	wait $tool			# three
	equal "status after three signals" $? $((128 + $(kill -l $sig)))
done

# --once: the threads seen until the signal are printed, and how many are missing is told.
cat > threads.c <<'C'
#include <pthread.h>
#include <unistd.h>
static void *sit(void *arg) { for (;;) pause(); return arg; }
int main(void)
{
	pthread_attr_t a;
	pthread_t t;
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 65536);
	for (int i = 0; i < 2000; i++)
		pthread_create(&t, &a, sit, NULL);
	sit(NULL);
}
C
gcc -pthread -o threads threads.c || fail "threads.c"
background ./threads
threads=$!
until_true 60 eval '[ "$(ls /proc/$threads/task | wc -l)" = 2001 ]' || fail "no threads"
for nap in 0.05 0.1 0.2 0.4 0.8; do	# the signal may come too early, or too late
	background pt-stack --once -p $threads > out 2> err
	tool=$!
	sleep $nap
	kill -TERM $tool
	wait $tool && continue
	grep -q 'left out$' err && break
done
has "threads that were left out" "$(cat err)" "process $threads: ended by a signal, $((2001 - $(grep -c ^TID out))) of 2001 threads left out"
equal "threads that stay halted" "$(grep -c '^State:.*[tT]' /proc/$threads/task/*/status | grep -vc ':0$')" 0
