# Builds with other compilers and options, no warning in any, and the unit tests pass in each. (Packages' tests build without optimizing.)
. "$PT_TOP/tests/lib.sh"
need clang gcc make
n=0
try() {	# NAME make variables...
	local name=$1; shift
	make -C "$PT_TOP" -j2 B="$PWD/$name" "$@" all tests > "$name.log" 2>&1 || { tail -20 "$name.log"; fail "$name: does not build"; }
	! grep -E 'warning:' "$name.log" || fail "$name: warns"
	for t in "$name"/tests/unit/t-*; do
		[ -x "$t" ] || continue
		"$t" > unit.log 2>&1 || { grep FAIL unit.log; fail "$name: $(basename "$t") fails"; }
	done
	rm -rf "${name:?}"
	n=$((n + 1))
}
try gcc-O3 CC=gcc CFLAGS='-O3 -g'
try gcc-Os CC=gcc CFLAGS='-Os'
try clang CC=clang CFLAGS='-O2 -g'
echo "$n builds"
