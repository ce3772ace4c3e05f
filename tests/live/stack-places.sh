# Programs in odd places: privileges dropped on the way, a set-uid program of another user, a mount namespace in which the path leads to another file than outside, namespaces
# of processes and another root, a file that was rewritten in place since. Live, recorded, and by --once: named rightly or not at all.
. "$PT_TOP/tests/lib.sh"
need gcc setpriv unshare
need_root
work() { cat <<C
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
volatile unsigned sink;
void __attribute__((noinline)) burn(double s)
{
	struct timespec t;
	do {
		for (unsigned i = 0; i < 20000; i++) sink += i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < s);
}
void __attribute__((noinline)) $1_before(double s) { burn(s); sink++; }
void __attribute__((noinline)) $1_after(double s) { burn(s); sink++; }
int main(int argc, char **argv)
{
	double s = argc > 1 ? atof(argv[1]) : 1;
	$1_before(s / 2);
	if (argc > 2 && (setgid(65534) || setuid(65534))) return 1;
	if (!fork()) { $1_after(s / 2); _exit(0); }
	wait(NULL);
	return 0;
}
C
}
work inner > inner.c; work outer | sed 's/^volatile/static const char pad[5000] __attribute__((used)) = "x";\n&/' > outer.c
gcc -O2 -g -static -Wl,--build-id -o inner inner.c && gcc -O2 -g -static -Wl,--build-id -o outer outer.c || fail "gcc -static"
chmod a+rx . inner outer
n() { awk -v f="$2" '{ if (index($0, f)) s += $NF } END { print s + 0 }' "$1"; }
# named WHAT FILE: of the samples in burn nearly all came from both of inner's functions
named() {
	local all a b; all=$(n "$2" ";burn") a=$(n "$2" ";main;inner_before;burn") b=$(n "$2" ";main;inner_after;burn")
	at_least "$1: samples: $(cat err)" "$all" 20
	[ $(((a + b) * 100)) -ge $((all * 95)) ] && [ $((a * 5)) -ge "$all" ] && [ $((b * 5)) -ge "$all" ] || fail "$1: $a before and $b after of $all: $(head -20 "$2")"
	equal "$1: names of the other file" "$(n "$2" outer_)" 0
}
runs 0 pt-stack -F 499 -- ./inner 0.5 drop > out 2> err
named "privileges dropped" out
runs 0 pt-record -q -F 499 --call-graph dwarf -o data -- ./inner 0.5 drop > none 2> err
runs 0 pt-stack data > out 2> err
named "privileges dropped, recorded" out
cp inner setuid; chmod 4755 setuid
if setpriv --reuid 65534 --regid 65534 --clear-groups ./setuid 0.01 2> err; then
	# the kernel takes the events off a program that gains rights: only the whole machine shows it
	runs 0 pt-stack -a --comm setuid -F 499 -- setpriv --reuid 65534 --regid 65534 --clear-groups ./setuid 0.5 > out 2> err
	named "a set-uid program" out
else
	echo "set-uid programs do not run here: $(cat err)"
fi
cp outer app
if unshare -m true 2> err; then
	# in there ./app is inner, out here it is outer
	inside='mount --bind inner app && exec ./app 0.5'
	runs 0 pt-stack -F 499 -- unshare -m sh -c "$inside" > out 2> err
	named "a mount namespace" out
	runs 0 pt-record -q -F 499 --call-graph dwarf -o data -- unshare -m sh -c "$inside" > none 2> err
	runs 0 pt-stack data > out 2> err
	equal "a mount namespace, recorded: names of the other file" "$(n out outer_)" 0
	mkdir -p jail/bin jail/proc; cp inner jail/bin/app
	runs 0 pt-stack -F 499 -- unshare -mpf --mount-proc="$PWD/jail/proc" chroot jail /bin/app 0.5 > out 2> err
	named "a container" out
	background unshare -m sh -c 'mount --bind inner app && exec ./app 100000'
	pid=$!
	burns() { pt-stack --once -p $pid > once 2> err && grep -q ' inner_before$' once; }
	until_true 60 burns || fail "--once in a mount namespace: $(cat once err)"
	equal "--once: names of the other file" "$(grep -c outer_ once)" 0
	runs 0 pt-stack data > out 2> err
	named "a mount namespace, recorded, such a one being there still" out
	kill $pid; wait $pid 2> none
	runs 0 pt-stack data > out 2> err
	equal "a mount namespace, recorded, none being there any more: names" "$(n out inner_)" 0
	mkdir -p "copy$PWD"; cp inner "copy$PWD/app"
	runs 0 pt-stack --symfs copy data > out 2> err
	named "a mount namespace, recorded, its files given" out
else
	echo "no namespaces here: $(cat err)"
fi
# rewritten in place: the same inode, other contents
cp inner same
runs 0 pt-record -q -F 499 --call-graph dwarf -o data -- ./same 0.5 > none 2> err
runs 0 pt-stack data > out 2> err
named "before it was rewritten" out
was=$(stat -c %i same); cat outer > same; equal "inode" "$(stat -c %i same)" "$was"
runs 0 pt-stack data > out 2> err
equal "names of what it was rewritten to" "$(n out outer_)" 0
equal "stacks of the program, named or not" "$(grep -c '^same;' out | awk '{ print ($1 > 0) }')" 1
