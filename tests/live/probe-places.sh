# Which places a point has: --no-inlines, --max-probes; --target-ns for files as another process sees them; -q. pt-list -o.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need gcc
cat > prog.c <<'C'
static inline __attribute__((always_inline)) int twice(int n) { volatile int m = n; return m * 2; }
static inline int both(int n) { volatile int m = n; return m + 1; }
int (*pointer)(int) = both;
int __attribute__((noinline)) first(int n) { return twice(n) + twice(n + 1); }
int __attribute__((noinline)) second(int n) { return first(n) + both(n); }
int main(int argc, char **argv) { (void)argv; return second(argc) + pointer(argc); }
C
gcc -O2 -g -o prog prog.c || fail "gcc"
places() { pt-probe -x ./prog -n "$@" 2> err | grep -c .; }

equal "places of an inlined function" "$(places twice)" 2
runs 1 pt-probe -x ./prog -n --no-inlines twice 2> err
has "none is left" "$(cat err)" "--no-inlines: the code is inlined at all 2 places"
equal "places of a function with and without code of its own" "$(places both)" 2
equal "with --no-inlines" "$(places --no-inlines both)" 1
equal "within --max-probes" "$(places --max-probes 2 twice)" 2
runs 1 pt-probe -x ./prog -n --max-probes 1 twice 2> err
has "more than --max-probes" "$(cat err)" "--max-probes: there are 2 places, which are more than 1"
equal "--max-probes behind --no-inlines" "$(places --no-inlines --max-probes 1 both)" 1

# A file of another mount namespace, where this one has none of that name.
if [ "$(id -u)" = 0 ] && unshare -m true 2> /dev/null; then
	mkdir here
	unshare -m sh -c "mount -t tmpfs none here && cp prog here/inside && touch here/ready && exec sleep 100" & other=$!
	pt_pids="$pt_pids $other"
	ready() { [ -e /proc/$other/root$PWD/here/ready ]; }
	until_true 60 ready || fail "the other namespace does not come"
	[ ! -e here/inside ] || fail "the file is here, too"
	has "--target-ns" "$(pt-probe -x "$PWD/here/inside" --target-ns $other -n first 2>&1)" "p:probe_inside/first /proc/$other/root$PWD/here/inside:0x"
	kill $other
fi
runs 2 pt-probe -x prog --target-ns $$ -n first 2> err
has "--target-ns without a path" "$(cat err)" "--target-ns is for -x with a whole path"

# Notes are not said with -q; errors are.
runs 1 pt-probe -q -x ./prog -n nosuch 2> err
has "an error with -q" "$(cat err)" nosuch

runs 0 pt-list -o names.txt sw > out 2> err
empty "standard output with -o" out
has "names" "$(cat names.txt)" cpu-clock
equal "the same as on standard output" "$(pt-list sw | cat)" "$(cat names.txt)"
