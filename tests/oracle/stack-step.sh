# The unwinder against what really happened: programs run instruction by instruction, their calls and returns kept beside (tests/tools/step.c).
# 99.9 percent of the points must be right to the last frame, the dynamic linker's start-up and its resolver included. Known to be wrong: a few
# instructions of start-up and exception code whose FDEs end early or come late.
. "$PT_TOP/tests/lib.sh"
need gcc g++
[ "$(uname -m)" = x86_64 ] || skip "the stepper knows x86-64 only"
[ "$PT_VARIANT" = plain ] || skip "of the plain build only: each point would take ten times as long"
cat > calls.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static volatile unsigned sink;
static unsigned __attribute__((noinline)) leaf(unsigned n) { for (unsigned i = 0; i < 9; i++) n = n * 1664525 + sink; return n; }
static unsigned __attribute__((noinline)) recurse(unsigned n) { unsigned x = n ? recurse(n - 1) : leaf(n); __asm__ volatile("" : "+r"(x)); return x + 1; }
static int compare(const void *a, const void *b) { unsigned x = *(const unsigned *)a, y = *(const unsigned *)b; sink += x; return (x > y) - (x < y); }
static unsigned __attribute__((noinline)) wide(int n) { char *a = __builtin_alloca((size_t)n * 16); memset(a, n, (size_t)n * 16); return leaf((unsigned)a[3]); }
static unsigned __attribute__((noinline)) realigned(unsigned n) { _Alignas(64) unsigned v[16]; memset(v, (int)n, sizeof(v)); return leaf(v[n % 16]) + recurse(n % 3); }
static void on_signal(int sig) { sink += recurse((unsigned)sig % 5); }
static void on_info(int sig, siginfo_t *info, void *uc) { (void)info, (void)uc; sink += recurse((unsigned)sig % 3); }
int main(void)
{
	static unsigned v[300];
	struct sigaction sa = { .sa_sigaction = on_info, .sa_flags = SA_SIGINFO };
	signal(SIGUSR1, on_signal);
	sigaction(SIGUSR2, &sa, NULL);
	for (unsigned r = 0; r < 1000; r++) {
		raise(SIGUSR2);
		for (unsigned i = 0; i < 300; i++) v[i] = i * 2654435761u + r;
		qsort(v, 300, sizeof(*v), compare);
		for (unsigned i = 0; i < 9; i++) sink += recurse(i) + wide((int)i + 1) + realigned(i);
		raise(SIGUSR1);
		char text[64];
		snprintf(text, sizeof(text), "%u %g", sink, (double)sink / 3);
		sink += (unsigned)strlen(text);
	}
	return 0;
}
C
cat > throws.cc <<'C'
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
static volatile unsigned sink;
struct guard { unsigned n; ~guard() { sink = sink + n; } };
static void __attribute__((noinline)) deep(unsigned n) { guard g{n}; if (!n) throw std::runtime_error("bottom"); deep(n - 1); }
static unsigned __attribute__((noinline)) safe(unsigned n)
{
	try { deep(n); } catch (const std::exception &e) { return (unsigned)std::string(e.what()).size(); }
	return 0;
}
int main()
{
	std::map<unsigned, std::vector<std::string>> m;
	for (unsigned r = 0; r < 100000; r++) { sink = sink + safe(r % 7); m[r % 13].push_back(std::to_string(r)); }
}
C
gcc -O2 -g -o calls calls.c || fail "gcc"
gcc -O2 -g -static -fno-pie -no-pie -o static calls.c || fail "gcc -static"
g++ -O2 -g -static-libstdc++ -static-libgcc -o throws throws.cc || fail "g++"
# Enough instructions to be through the dynamic linker and a few rounds of main.
check() {
	local p=$1 points
	step 7 "$2" ./$p > $p.out || fail "$p: $(cat $p.out)"
	echo "$p: $(tail -1 $p.out)"
	points=$(tail -1 $p.out | cut -d' ' -f1)
	at_least "$p: points" "$points" $(($2 / 8))
}
check calls 150000
check static 50000
check throws 150000
# 32-bit x86: other registers, handlers of signals that return by the vdso. Linked statically, since the dynamic linker's strcspn says by its CFI that the stack shrinks
# where it grows.
if why=$(runs_i386); then
	gcc -m32 -O2 -static -o static32 calls.c || fail "gcc -m32"
	check static32 60000
else
	echo "left out: 32-bit programs, since $why"
fi
