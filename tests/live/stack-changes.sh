# Programs that change under the profiler: fork servers, processes of a few milliseconds, plugins that come and go at one address, a binary that is deleted or
# replaced while it runs or rewritten in place, code that is moved, another root directory. Each burns CPU in functions of known names, which must be found from main on.
. "$PT_TOP/tests/lib.sh"
need gcc
need_root
cat > prog.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
volatile unsigned sink;
void __attribute__((noinline)) burn(double s)
{
	struct timespec t, from;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	do {
		for (unsigned i = 0; i < 20000; i++) sink += i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while ((double)(t.tv_sec - from.tv_sec) + (double)(t.tv_nsec - from.tv_nsec) / 1e9 < s);
}
static void __attribute__((noinline)) in_child(double s) { burn(s); sink++; }
static void __attribute__((noinline)) serve(int n, double s) { while (n--) { if (!fork()) { in_child(s); _exit(0); } wait(NULL); } }
static void __attribute__((noinline)) plugins(int n)
{
	char path[64], name[16];
	while (n--) {
		void (*f)(double);
		void *h;
		snprintf(path, sizeof(path), "./plug%d.so", n % 2);
		snprintf(name, sizeof(name), "plug%d", n % 2);
		h = dlopen(path, RTLD_NOW);
		f = h ? (void (*)(double))dlsym(h, name) : NULL;
		if (!f) abort();
		f(0.15);
		dlclose(h);
	}
}
/* Code of a file, mapped by hand and moved elsewhere: the kernel tells of the mapping, not of the move. */
void __attribute__((noinline)) in_moved(const char *path, long off, double s)
{
	struct timespec t, from;
	int fd = open(path, O_RDONLY);
	char *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, off & ~4095l), *to = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*f)(long);
	p = mremap(p, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (p == MAP_FAILED) abort();
	f = (void (*)(long))(p + (off & 4095));
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	do {
		f(1000000);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while ((double)(t.tv_sec - from.tv_sec) + (double)(t.tv_nsec - from.tv_nsec) / 1e9 < s);
}
int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "serve")) serve(atoi(argv[2]), 0.12);
	else if (argc > 2 && !strcmp(argv[1], "short")) serve(atoi(argv[2]), 0.005);
	else if (argc > 2 && !strcmp(argv[1], "plugins")) plugins(atoi(argv[2]));
	else if (argc > 3 && !strcmp(argv[1], "moved")) in_moved(argv[2], strtol(argv[3], NULL, 0), 0.7);
	else if (argc > 2 && !strcmp(argv[1], "unlink")) { if (unlink(argv[2])) return 1; in_child(0.7); }
	else if (argc > 3 && !strcmp(argv[1], "replace")) { if (rename(argv[3], argv[2])) return 1; in_child(0.7); }
	return 0;
}
C
for i in 0 1; do
	# alike in size, so that they come to the same addresses
	printf 'extern volatile unsigned sink; extern void burn(double); void __attribute__((noinline)) plug%d(double s) { burn(s); sink++; }\n' $i > plug.c
	gcc -O2 -g -shared -fPIC -o plug$i.so plug.c || fail "gcc"
done
gcc -O2 -g -rdynamic -o prog prog.c -ldl || fail "gcc"
gcc -O2 -g -static -o alone prog.c 2> /dev/null || fail "gcc -static"
n() { awk -v f="$2" '{ if (index($0, f)) s += $NF } END { print s + 0 }' "$1"; }
# mostly WHAT FILE STACK PROG: of the samples in burn, those with that stack are at least 95 percent
mostly() {
	local all; all=$(n "$2" ";burn")
	at_least "$1: samples in burn: $(cat err)" "$all" 15
	[ $(($(n "$2" "$3") * 100)) -ge $((all * 95)) ] || fail "$1: $(n "$2" "$3") of $all samples with $3: $(grep burn "$2")"
}
runs 0 pt-stack -F 499 -- ./prog serve 5 > out 2> err
mostly "fork server" out ";main;serve;in_child;burn"
runs 0 pt-stack -F 999 -- ./prog short 60 > out 2> err
mostly "processes of 5 ms" out ";main;serve;in_child;burn"
runs 0 pt-stack -F 499 -- ./prog plugins 6 > out 2> err
all=$(n out ";burn") a=$(n out ";main;plugins;plug0;burn") b=$(n out ";main;plugins;plug1;burn")
at_least "plugins: samples: $(cat err)" "$all" 60
[ $(((a + b) * 100)) -ge $((all * 95)) ] && [ $((a * 100)) -ge $((all * 30)) ] && [ $((b * 100)) -ge $((all * 30)) ] || fail "plugins: $a and $b of $all: $(cat out)"
cp prog doomed
runs 0 pt-stack -F 499 -- ./doomed unlink doomed > out 2> err
mostly "deleted while it ran" out ";main;in_child;burn"
cp prog old; cp alone new
runs 0 pt-stack -F 499 -- ./old replace old new > out 2> err
mostly "replaced while it ran" out ";main;in_child;burn"
mkdir -p jail/bin; cp alone jail/bin/inside
runs 0 pt-stack -F 499 -- chroot jail /bin/inside serve 5 > out 2> err
mostly "another root directory" out ";main;serve;in_child;burn"
# No record tells of mremap: maps are read again when an address hits none. What is moved calls nothing, so that it runs anywhere.
cat > alone.c <<'C'
void moved(long n) { for (volatile long i = 0; i < n; i++) ; }
C
gcc -O1 -g -shared -fPIC -o moved.so alone.c || fail "gcc"
set -- $(nm moved.so | awk '$3 == "moved" { print $1 }') $(readelf -lW moved.so | awk '$1 == "LOAD" && $7 $8 ~ /E/ { print $2, $3 }')
runs 0 pt-stack -F 499 -- ./prog moved moved.so $((0x$1 - $3 + $2)) > out 2> err
all=$(n out "prog;") moved=$(n out ";moved ")
at_least "moved: samples: $(cat err)" "$all" 60
at_least "moved: of $all samples those in the moved code: $(cat err out)" $((moved * 100)) $((all * 90))
# Rewritten in place between two runs: the first run's code is gone when names are looked up, and must not get the second one's names.
for name in alpha beta; do
	printf 'volatile unsigned sink; void __attribute__((noinline)) %s(long n) { while (n--) sink += 1; } int main(void) { %s(400000000); return 0; }\n' \
		$name $name > again.c
	gcc -O1 -g -o $name again.c || fail "gcc"
done
cp alpha again
runs 0 pt-stack -F 499 -- sh -c './again; cat beta > again; ./again' > out 2> err
all=$(n out "again;") beta=$(n out ";beta ")
at_least "rewritten: samples: $(cat err)" "$all" 60
[ $((beta * 100)) -le $((all * 80)) ] && [ $((beta * 100)) -ge $((all * 20)) ] || fail "rewritten: of $all samples $beta are called beta: $(cat err out)"
# Of a recording: without a build-id the inode must do, which stays when a file is written over.
gcc -O1 -g -Wl,--build-id=none -o again again.c || fail "gcc"
runs 0 pt-record -q -F 499 --call-graph dwarf -o again.data -- ./again
runs 0 pt-stack again.data > out 2> err
at_least "no build-id: samples called beta: $(cat err out)" "$(n out ";beta ")" 10
sed s/beta/gamma/g again.c > new.c
gcc -O1 -g -Wl,--build-id=none -o new new.c || fail "gcc"
cat new > again
runs 0 pt-stack again.data > out 2> err
[ "$(n out gamma)" = 0 ] && grep -q 'of another build' err || fail "no build-id, written over since: $(cat err out)"
