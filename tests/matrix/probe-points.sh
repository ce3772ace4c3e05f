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

# However the debug information is kept: split, packed, compressed, shared, detached.
points='work loop work:3 work:5 loop:2 main hits.c:10 a* main;*printf*'
set -f; set -- $points; set +f
for cc in gcc clang; do
	for d in 4 5; do
		$cc -g -gdwarf-$d -O2 hits.c -o plain || fail "$cc"
		$cc -g -gdwarf-$d -O2 -gz hits.c -o packed || fail "$cc -gz"
		points_same plain packed "$@"
		rm -rf split; mkdir split
		(cd split && $cc -g -gdwarf-$d -O2 -gsplit-dwarf -c ../hits.c -o hits.o && $cc hits.o -o ../splitted) || fail "$cc -gsplit-dwarf"
		points_same plain splitted "$@"
		if command -v llvm-dwp > /dev/null && llvm-dwp split/hits.dwo -o splitted.dwp 2> err; then
			rm split/hits.dwo
			points_same plain splitted "$@"
			rm splitted.dwp
		fi
		cp plain detached && objcopy --only-keep-debug detached detached.debug && strip detached && objcopy --add-gnu-debuglink=detached.debug detached || fail objcopy
		points_same plain detached "$@"
		if command -v dwz > /dev/null; then
			cp plain one; cp plain two; gcc -g -gdwarf-$d -O2 -DX hits.c -o three
			if dwz -m common.debug one two three 2> err; then points_same plain one "$@"; fi	# clang's DWARF 5 it does not know
		fi
	done
done
