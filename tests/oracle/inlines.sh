# Inlined frames and their lines beside llvm-symbolizer's: a few builds; the matrix has more (matrix/inlines.sh).
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/inlines.sh"
need llvm-symbolizer g++ python3
inlines_sources
inlines_build cpp cc g++ -O2 -g
inlines_build packed c gcc -O2 -gdwarf-4 -gz
inlines_build plain c gcc -O2 -gdwarf-4
inlines_build split c gcc -O2 -gdwarf-4 -gsplit-dwarf
inlines_built cpp packed plain split
inlines_compare cpp 4000
inlines_compare packed 1500
inlines_same split plain
if command -v dwz > /dev/null; then
	cp cpp shared; cp plain shared-c
	dwz -m common.debug shared shared-c || fail "dwz"
	inlines_same shared cpp
fi
# Nothing is known of an address in no unit
equal "frames of an address in no unit" "$(echo 1 | "$PT_TOOLS/frames" cpp)" "??
??:0"
