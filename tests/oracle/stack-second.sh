# The unwinder beside libunwind and elfutils' libdwfl on the same registers and the same memory (tests/tools/second.c): programs in C (threads, signals on the thread's stack
# and on one of their own, the vdso), C++ (exceptions), Rust, and the dynamic linker's resolver. 99.9 percent of the frames must be theirs.
# Known and left out: code without CFI (.init and .fini of some libraries), where each guesses in its own way.
. "$PT_TOP/tests/lib.sh"
need gcc g++
[ "$(uname -m)" = x86_64 ] || skip "registers of x86-64 only"
cat > c.c <<'C'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
static volatile unsigned sink;
static unsigned __attribute__((noinline)) leaf(unsigned n) { for (unsigned i = 0; i < 3000; i++) n = n * 1664525 + sink; return n; }
static unsigned __attribute__((noinline)) recurse(unsigned n) { unsigned x = n ? recurse(n - 1) : leaf(n); __asm__ volatile("" : "+r"(x)); return x + 1; }
static int compare(const void *a, const void *b) { unsigned x = *(const unsigned *)a, y = *(const unsigned *)b; sink += x; return (x > y) - (x < y); }
static void handler(int sig) { sink += recurse(5) + (unsigned)sig; }
static unsigned v[4000];
static void *work(void *arg)
{
	static __thread stack_t st;
	struct timespec t;
	st.ss_size = 65536;
	st.ss_sp = malloc(st.ss_size);
	sigaltstack(&st, NULL);
	do {
		for (unsigned i = 0; i < 4000; i++) v[i] = i * 2654435761u;
		qsort(v, 4000, sizeof(v[0]), compare);
		sink += recurse(9);
		raise(SIGUSR1);
		raise(SIGUSR2);
		for (int i = 0; i < 200; i++) clock_gettime(CLOCK_MONOTONIC, &t);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < 0.4);
	return arg;
}
int main(void)
{
	struct sigaction a = { .sa_handler = handler };
	pthread_t t;
	sigaction(SIGUSR1, &a, NULL);
	a.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR2, &a, NULL);
	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	work(NULL);
	return 0;
}
C
cat > cc.cc <<'C'
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
#include <time.h>
static volatile unsigned sink;
struct held { ~held() { sink = sink + 1; } };
static unsigned __attribute__((noinline)) thrower(unsigned n) { held h; if (n == 0) throw std::runtime_error("x"); return thrower(n - 1) + 1; }
static unsigned __attribute__((noinline)) catcher(unsigned n) { try { return thrower(n); } catch (const std::exception &e) { return (unsigned)*e.what(); } }
int main()
{
	std::vector<unsigned> v(3000);
	std::map<unsigned, std::string> m;
	struct timespec t;
	do {
		for (unsigned i = 0; i < v.size(); i++) v[i] = i * 2654435761u + (unsigned)sink;
		std::sort(v.begin(), v.end(), [](unsigned a, unsigned b) { sink = sink + 1; return a < b; });
		for (unsigned i = 0; i < 600; i++) m[v[i] % 997] += "xyz";
		for (unsigned i = 0; i < 40; i++) sink = sink + catcher(i % 9);
		if (m.size() > 500) m.clear();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < 0.6);
}
C
cat > rs.rs <<'C'
use std::collections::HashMap;
#[inline(never)] fn work(n: u64) -> usize {
    let mut m: HashMap<String, Vec<u64>> = HashMap::new();
    for i in 0..n { m.entry(format!("k{}", i % 97)).or_default().push(i * 2654435761 % 1009); }
    m.values_mut().map(|v| { v.sort_by(|a, b| b.cmp(a)); v.len() }).sum()
}
fn main() {
    let t = std::thread::spawn(|| work(300000));
    let n: usize = (0..60).map(|_| work(20000)).sum();
    println!("{}", n + t.join().unwrap());
}
C
gcc -O2 -g -pthread -Wl,-z,lazy -o c c.c && g++ -O2 -g -Wl,-z,lazy -o cc cc.cc || fail "gcc"
programs="c cc lazy"
if command -v rustc > /dev/null && rustc -O -g -o rs rs.rs 2> rust.err; then programs="$programs rs"; else echo "no rustc: Rust left out"; fi
# theirs UNWINDER PROGRAM
theirs() {
	local line
	"$PT_TOOLS/second" "$1" "$2.data" > out 2> err
	case $? in 0) ;; 77) echo "$1: $(cat err)"; return ;; *) fail "second $1 $2.data: $(cat err)" ;; esac
	line=$(grep ' stacks, ' out)
	echo "$1 $2: $line"
	echo "$line" | awk '{ exit !($5 > 500 && $7 * 1000 <= $5 && $9 * 20 <= $1 && $15 * 50 <= $1) }' || fail "$1 on $2: $(cat out)"
}
for p in $programs; do
	case $p in lazy) set -- env LD_BIND_NOT=1 ./cc ;; *) set -- "./$p" ;; esac	# each call through the resolver
	runs 0 pt-record -F 1999 --call-graph dwarf,16384 -o $p.data -- "$@" > printed 2> record.err
	for u in libunwind libdwfl; do theirs $u $p; done
	[ $p != lazy ] || at_least "samples in the resolver" "$(pt-stack --no-inline lazy.data 2> err | grep -c '_dl_fixup\|_dl_runtime_resolve')" 20
	rm $p.data
done
