# points.sh - places of points beside gdb's: functions behind their prologues, lines, and inlined functions by counting. For oracle/probe-points.sh and matrix/probe-points.sh.
places=$PT_TOOLS/places
# in_gdb FILE: the commands in cmds; one that fails does not keep the next ones away
in_gdb() {
	local args=() line
	while IFS= read -r line; do args+=(-ex "$line"); done < cmds
	gdb -batch -nx -iex 'set debuginfod enabled off' -iex 'set breakpoint pending off' "${args[@]}" "$1" 2> gdb.err
}

# Code that is not made for this: a few files of the library, as one shared library. points_library NAME COMPILER FLAGS...
points_library() {
	local name=$1 cc=$2; shift 2
	(cd "$PT_TOP" && "$cc" -g -fPIC -shared -D_GNU_SOURCE -Ilib -w "$@" -Wl,--unresolved-symbols=ignore-all -o "$OLDPWD/$name" lib/base/map.c lib/base/text.c lib/base/num.c lib/base/lines.c) ||
		fail "$cc $*"
}

# All functions of a file: where gdb stops is where a place with variables is. points_functions NAME AT_LEAST
points_functions() {
	nm --defined-only "$1" | awk '$2 ~ /^[tT]$/ && $3 !~ /[.]/ && $3 !~ /^_/ && !(seen[$3]++) { print $3 }' > fns
	{ sed "s/.*/break '&'/" fns; echo 'info breakpoints'; } > cmds
	in_gdb "$1" > gdb.out
	# Names of functions with several places (inlined too) have lines of their own: left out
	awk '/^[0-9]+ +breakpoint .* 0x/ { a = $5; sub(/^0x0*/, "", a); print $7, a }' gdb.out | sort > theirs
	xargs "$places" -v "$1" < fns > places.out
	awk '/^[^ ]*: [0-9]+$/ { one = $2 == 1; next } one && /^[0-9a-f]+ / { print $4, $1 }' places.out | sort > ours
	join theirs ours > both
	at_least "functions of $1 compared" "$(wc -l < both)" "$2"
	awk '$2 != $3 { print "gdb stops in " $1 " at " $2 ", pt at " $3 }' both > other
	empty "functions of $1" other
}

# Lines of a source file: places of gdb's are among ours (exactly: without inlining they agree; within: ours may be elsewhere in the same symbol: earlier, where inlined code is the line's first, which gdb calls by the inlined function's name).
# points_lines NAME FILE exact|within AT_LEAST
points_lines() {
	local name=$1 file=$2 how=$3 lines
	lines=$(wc -l < "$PT_TOP/$file")
	{ seq "$lines" | sed "s|.*|break $file:&|"; echo 'info breakpoints'; } > cmds
	in_gdb "$name" > gdb.out
	awk '{ a = f = "" }
		/^[0-9]+(\.[0-9]+)? / { for (i = 1; i <= NF; i++) { if ($i ~ /^0x/) a = $i; if ($i == "in") f = $(i + 1) } }
		a != "" && f != "" { l = $NF; sub(/.*:/, "", l); sub(/^0x0*/, "", a); print l, a, f }' gdb.out | sort -u > theirs
	seq "$lines" | sed "s|.*|$file:&|" | xargs "$places" -v "$name" > places.out
	awk '/^[0-9a-f]+ [0-9a-f]+ / { l = $5; sub(/.*:/, "", l); print l, $1, $4 }' places.out | sort -u > ours
	at_least "lines of $name" "$(wc -l < theirs)" "$4"
	nm --defined-only "$name" | awk '$2 ~ /^[tT]$/ { print $1 }' | sort > starts
	awk 'function symbol(at,  i) {		# the number of the one that it is in; addresses as 16 digits
			at = substr("0000000000000000" at, length(at) + 1)
			for (i = nr; i && start[i] > at; i--) ;
			return i
		}
		FILENAME == "starts" { start[++nr] = $1; next }
		FILENAME == "ours" { at[$1 " " $2] = 1; within[$1 " " symbol($2)] = 1; next }
		!(($1 " " $2) in at) && (how == "exact" || !(($1 " " symbol($2)) in within)) { print "line " $1 " at " $2 " in " $3 }' how="$how" starts ours theirs > missing
	empty "lines of $name that gdb has and pt has not" missing
}

# An inlined function that counts its calls: the hits of all its places are as many.
points_hits_source() {
	cat > hits.c <<'END'
#include <stdio.h>
volatile unsigned long counter;
volatile int sink;
static inline int work(int x, int y)
{
	int r;
	counter++;
	r = x * 3 + y;
	if (r & 1)
		r += sink;
	return r;
}
static inline int loop(int n)
{
	for (int i = 0; i < n; i++)
		sink += work(i, n);
	return sink;
}
__attribute__((noinline)) int a(int n) { return n > 3 ? work(n, 1) : work(n, 2); }
__attribute__((noinline)) int b(int n) { int s = 0; while (n-- > 0) s += work(s, n) + (s & 4 ? work(n, s) : 0); return s; }
__attribute__((noinline)) int c(int n) { return loop(n) + loop(n / 2) + work(n, n); }
__attribute__((noinline)) int d(int n)
{
	switch (n % 5) {
	case 0: return work(1, n);
	case 1: return work(2, n);
	case 2: return work(n, 2) + 1;
	default: return work(n, n);
	}
}
int (*volatile fp)(int, int) = work;
int main(void)
{
	int r = 0;
	for (int i = 0; i < 7; i++)
		r += a(i) + b(i) + c(i) + d(i) + fp(i, 2);
	printf("counter %lu\n", counter);
	return r == 12345;
}
END
}

# points_hits COMPILER FLAGS...
points_hits() {
	local n hits
	"$@" -g -no-pie hits.c -o hits || fail "$*"
	runs 0 "$places" hits work > places.out
	awk '/^[0-9a-f]+ / { print "break *0x" $1; n++; print "ignore " n " 1000000" } END { print "run"; print "info breakpoints" }' places.out > cmds
	in_gdb hits > gdb.out
	n=$(sed -n 's/^counter //p' gdb.out)
	[ -n "$n" ] || skip "gdb runs no programs here: $(tail -1 gdb.err)"
	hits=$(awk '/already hit/ { n += $4 } END { print n + 0 }' gdb.out)
	equal "hits of work ($*)" "$hits" "$n"
}

# The same places, however the debug information is kept
points_list() { "$places" "$@" | sed -E 's/^([0-9a-f]+) [0-9a-f]+ [^ ]+ ([^ ]+) [^ ]*:([0-9]+)/\1 \2 \3/'; }
# points_same NAME OTHER POINT...
points_same() {
	local name=$1 other=$2; shift 2
	points_list "$name" "$@" > same.one
	points_list "$other" "$@" > same.other
	grep -q ' inlined in ' same.one || fail "$name: nothing is inlined"
	same_file "$name and $other" same.one same.other
}
