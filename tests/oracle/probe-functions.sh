# -F beside perf probe -F on a program of ours, the C library (with its debug file where that is installed), C++'s and a stripped program: every function that perf lists is
# listed. perf lists variables, too, and a PLT entry without name; these cannot be probed, and are told by their symbols' types.
. "$PT_TOP/tests/lib.sh"
need_perf
need readelf c++filt
export LC_ALL=C

# Symbols that are no functions, as perf names them, without versions.
variables() {
	local id=$(readelf -n "$1" 2> /dev/null | awk '/Build ID/ { print $3 }')
	{
		readelf -sW "$1"
		[ ! -e "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" ] || readelf -sW "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
	} 2> /dev/null | awk '$4 != "FUNC" && $4 != "IFUNC" && NF > 7 { sub(/@.*/, "", $8); print $8 }' | c++filt -p -i | sort -u
}

compare() {	# WHAT FILE LEAST: so many names at least
	perf probe -F -x "$2" --filter '*' 2> perf.err | sed 's/@.*//' | grep . | sort -u > perf.names
	[ "$(wc -l < perf.names)" -ge "$3" ] || skip "perf probe -F names $(wc -l < perf.names) of $2: $(head -1 perf.err)"
	for how in "" --inlined; do
		PT_CACHE=off pt-probe -F $how -x "$2" > ours$how
		pt-probe -F $how -x "$2" > first
		pt-probe -F $how -x "$2" > second
		cmp ours$how first && cmp ours$how second || fail "$1: not the same when it is kept"
		cut -f1 ours$how | sort -c || fail "$1: not sorted"
		[ -z "$(cut -f1 ours$how | uniq -d)" ] || fail "$1: a name twice"
	done
	! grep -m 1 '	(inlined)$' ours || fail "$1: without code"
	grep -v '	(inlined)$' ours--inlined | cmp - ours || fail "$1: --inlined has others than those with code, besides"
	sed 's/@.*//' ours | sort -u > names
	comm -23 perf.names names > missing
	variables "$2" > data
	comm -23 missing data > wrong
	[ ! -s wrong ] || fail "$1: perf lists $(wc -l < wrong) functions that -F does not: $(head -5 wrong | tr '\n' ' ')"
	echo "$1: $(wc -l < perf.names) of perf's, $(wc -l < missing) of them variables"
}

compare "pt-probe" "$(command -v pt-probe)" 300
compare "the C library" "$(ldd "$(command -v sort)" | awk '/libc\.so/ { print $3 }')" 500
cxx=$(ldconfig -p | awk '/libstdc\+\+\.so\.6 / && /x86-64|aarch64/ { print $NF; exit }')
[ -z "$cxx" ] || compare "C++'s library" "$cxx" 1000
compare "a stripped program" "$(command -v bash)" 500
