# Places of points beside gdb's, in a few builds; the matrix has more (matrix/probe-points.sh).
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/points.sh"
need gdb gcc nm
points_library o0 gcc -O0
points_functions o0 35
points_lines o0 lib/base/text.c exact 80
points_library o2 gcc -O2
points_functions o2 20
points_lines o2 lib/base/map.c within 30
if command -v clang > /dev/null; then
	points_library c1 clang -O1
	points_functions c1 20
fi
points_hits_source
points_hits gcc -O2
