# A program that a user without privileges made, with the build-id, the size and even the path of a genuine one: its names never appear in root's profile of the
# genuine one. Either may come first, in one session, from the cache on disk, in a mount namespace, and in a recording; each keeps its own names where they can be had.
. "$PT_TOP/tests/lib.sh"
need gcc setpriv unshare
need_root
export XDG_CACHE_HOME=$PWD/cache; mkdir -m 700 cache
cat > work.c <<'C'
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
volatile unsigned sink;
static inline __attribute__((always_inline)) void WORD_inner(void) { for (unsigned i = 0; i < 20000; i++) sink += i; }
void __attribute__((noinline)) WORD_work(double s)
{
	struct timespec t;
	do {
		WORD_inner();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < s);
}
int main(int argc, char **argv)
{
	prctl(PR_SET_NAME, argv[1]);
	WORD_work(argc > 2 ? atof(argv[2]) : 1);
	return 0;
}
C
id=0123456789abcdef0123456789abcdef01234567
mkdir genuine forgery
for w in genuine forgery; do
	gcc -O2 -g -static -DW=$w -Wl,--build-id=0x$id -o $w/app -x c <(sed "s/WORD/$w/g" work.c) || fail "gcc -static"
done
equal "size of the forgery" "$(stat -c %s forgery/app)" "$(stat -c %s genuine/app)"
chown -R $nobody:$nobody forgery
chmod a+rx . genuine forgery genuine/app forgery/app
g="$PWD/genuine/app genuine 0.2"
f="setpriv --reuid $nobody --regid $nobody --clear-groups $PWD/forgery/app forgery 0.2"
n() { grep "$2" "$1" | awk '{ s += $NF } END { print s + 0 }'; }
# each_its_own WHAT FILE: samples of both, each with its own names
each_its_own() {
	at_least "$1: samples of genuine_inner: $(cat err)" "$(n "$2" '^genuine.*;genuine_work;genuine_inner\b')" 20
	at_least "$1: samples of forgery_inner: $(cat err)" "$(n "$2" '^forgery.*;forgery_work;forgery_inner\b')" 20
	equal "$1: names of the forgery in the genuine one" "$(n "$2" '^genuine.*forgery_')" 0
	equal "$1: names of the genuine one in the forgery" "$(n "$2" '^forgery.*genuine_')" 0
}
for order in "$f; $g" "$g; $f"; do
	rm -rf cache/*
	for round in first second; do		# the second one finds names in the cache
		runs 0 pt-stack -a --comm genuine,forgery -F 499 -- sh -c "$order" > out 2> err
		each_its_own "$round look" out
	done
	at_least "items in the cache" "$(find cache -name "inl-$id*" | wc -l)" 2
done
runs 0 pt-record -q -a -F 499 --call-graph dwarf -o data -- sh -c "$f; $g" 2> err
runs 0 pt-stack --comm genuine,forgery data > out 2> err
each_its_own "recorded" out
# the forgery recorded, the genuine one gone since: no other user's file stands in for it
mv genuine/app genuine/moved
runs 0 pt-stack --comm genuine,forgery data > out 2> err
equal "names of the forgery in the genuine one, which is gone" "$(n out '^genuine.*forgery_')" 0
mv genuine/moved genuine/app
# at the path of the genuine one, in a mount namespace of that user's
inside="mount --bind $PWD/forgery/app $PWD/genuine/app && exec $PWD/genuine/app forgery 0.2"
if setpriv --reuid $nobody --regid $nobody --clear-groups unshare -Urm true 2> err; then
	for order in 'inside; outside' 'outside; inside'; do
		rm -rf cache/*
		for round in first second; do
			runs 0 pt-stack -a --comm genuine,forgery -F 499 -- sh -c "inside() { setpriv --reuid $nobody --regid $nobody --clear-groups unshare -Urm sh -c '$inside'; }; outside() { $g; }; $order" > out 2> err
			each_its_own "in a namespace, $round look" out
		done
	done
else
	echo "no namespaces for users here: $(cat err)"
fi
