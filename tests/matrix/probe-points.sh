# Places of points beside gdb's over compilers, levels of optimisation and versions of DWARF.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/points.sh"
need gdb gcc clang nm
points_hits_source
for cc in gcc clang; do
	for o in "-O0 -gdwarf-5" "-O0 -gdwarf-4" -O1 "-O2 -gdwarf-5" "-O2 -gdwarf-4" -Os; do
		points_library lib $cc $o
		points_functions lib 18
		how=within; case $o in -O0*) how=exact ;; esac
		points_lines lib lib/base/text.c $how 40
		points_lines lib lib/base/map.c $how 20
		points_hits $cc $o
	done
done
points_hits gcc -O3 -funroll-loops
points_hits gcc -O2 -flto
