# --debuginfod against a server of its own on this machine: names of a stripped program come from there, by build-id, and only when they are asked for.
. "$PT_TOP/tests/lib.sh"
need gcc objcopy debuginfod python3
need_root
unset DEBUGINFOD_URLS
cat > prog.c <<'C'
#include <time.h>
volatile unsigned sink;
static inline __attribute__((always_inline)) void inlined_work(void) { for (unsigned i = 0; i < 20000; i++) sink += i; }
static void __attribute__((noinline)) hidden_work(void)
{
	struct timespec t;
	do { inlined_work(); clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); } while (t.tv_nsec < 400000000 && !t.tv_sec);
}
int main(void) { hidden_work(); sink++; return 0; }
C
gcc -O2 -g -Wl,--build-id -o prog prog.c || fail "gcc"
mkdir served cache
objcopy --only-keep-debug prog served/prog.debug && strip prog || fail "objcopy"
id=$(readelf -n prog | awk '/Build ID/ { print $3 }')
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
background env HOME="$PWD" debuginfod -d :memory: -p "$port" -F served > server.log 2>&1
serves() { python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=5).read(4)' "http://127.0.0.1:$port/buildid/$id/debuginfo"; }
until_true 60 serves || fail "debuginfod serves nothing: $(tail -3 server.log)"
export DEBUGINFOD_CACHE_PATH="$PWD/cache" XDG_CACHE_HOME="$PWD/xdg"
runs 0 pt-record -F 999 --call-graph dwarf -o prog.data -- ./prog 2> err
export DEBUGINFOD_URLS="http://127.0.0.1:$port"
runs 0 pt-stack prog.data > without 2> err
equal "names without --debuginfod" "$(grep -c hidden_work without)" 0
equal "files fetched without --debuginfod" "$(find cache -name debuginfo | wc -l)" 0
runs 0 pt-stack --debuginfod prog.data > with 2> err
at_least "stacks by the server's names: $(cat err)" "$(grep -c ';main;hidden_work;inlined_work' with)" 1
runs 0 pt-script --debuginfod -F ip,sym prog.data > with 2> err
at_least "lines of pt-script" "$(grep -c ' inlined_work (inlined)$' with)" 20
# fetched once and kept: the server may go
kill %1 2> err; wait 2> err
runs 0 pt-stack --debuginfod prog.data > again 2> err
at_least "stacks from the cache" "$(grep -c ';main;hidden_work;inlined_work' again)" 1
# no server named, and one that is not there
unset DEBUGINFOD_URLS
runs 0 pt-stack --debuginfod prog.data > none 2> err
has "message" "$(cat err)" "set DEBUGINFOD_URLS"
rm -r cache; mkdir cache
runs 0 env DEBUGINFOD_URLS="http://127.0.0.1:$port" pt-stack --debuginfod prog.data > none 2> err
equal "names of no server" "$(grep -c hidden_work none)" 0
