# Variables as a probe fetches them, by compiler, language, version of DWARF and optimisation, beside gdb at the same hits; and how many of them perf takes.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/probevars.sh"
need gcc g++ clang clang++
vars_need
if perf probe --help > /dev/null 2>&1; then VARS_PERF=1; fi
for o in -O0 -O1 -O2 -O3; do
	vars_try c-gcc5$o c gcc -g $o
	vars_try c-clang5$o c clang -g $o
	vars_try cc-gcc5$o c++ g++ -g $o
	vars_try cc-clang5$o c++ clang++ -g $o
done
VARS_PERF= VARS_OPTIONS="--places 40"
vars_try c-gcc4 c gcc -gdwarf-4 -O2
vars_try c-clang4 c clang -gdwarf-4 -O2
vars_try c-clang3 c clang -gdwarf-3 -O1
vars_try c-gcc2 c gcc -gdwarf-2 -gstrict-dwarf -O1
vars_try cc-gcc4 c++ g++ -gdwarf-4 -O2
vars_try cc-clang4 c++ clang++ -gdwarf-4 -Os
vars_try c-no-pie c gcc -g -O2 -no-pie -fno-pie
vars_try c-static c gcc -g -Og -static
vars_try c-lto c gcc -g -O2 -flto
VARS_OPTIONS="--places 40 --target"
vars_try c-split c gcc -g -O2 -gsplit-dwarf
vars_try c-split4 c gcc -gdwarf-4 -O2 -gsplit-dwarf
vars_try cc-split c++ g++ -g -O2 -gsplit-dwarf
# gdb 13 finds no lists of locations in clang's split units
VARS_OPTIONS="--places 40 --target --gone-ok"
vars_try c-clang-split c clang -g -O2 -gsplit-dwarf
VARS_OPTIONS="--places 40"
if why=$(runs_i386); then vars_try c-m32 c gcc -w -m32 -g -O2; else echo "left out: 32-bit programs, since $why"; fi
vars_try c-frame c gcc -g -O2 -fno-omit-frame-pointer -gz
vars_try cc-types c++ g++ -gdwarf-4 -O1 -fdebug-types-section
if command -v ld.lld > /dev/null; then vars_try c-lld c clang -g -O2 -fuse-ld=lld; fi
if command -v rustc > /dev/null; then
	for o in 0 1 2 3; do vars_try rust$o rust rustc -g -C opt-level=$o; done
else
	echo "rustc is not installed: no programs in Rust"
fi
vars_end 20000 88

# Fortran: arrays count from 1, arguments come by reference, names have no case; none of gdb's expressions are ours.
if command -v gfortran > /dev/null; then
	cat > f.f90 <<-'F'
	subroutine work(n, a, total)
	  implicit none
	  integer, intent(in) :: n
	  integer(8), intent(inout) :: total
	  integer(2), intent(in) :: a(4)
	  integer(2), allocatable :: more(:)
	  integer :: shared
	  common /blk/ shared
	  allocate(more(n))
	  total = total + a(n) * shared + size(more)
	end subroutine
	program p
	  integer(8) :: t = 5
	  integer(2) :: v(4) = 2_2
	  call work(4, v, t)
	  print *, t
	end program
	F
	gfortran -g -O0 -o f f.f90 || fail "gfortran"
	at=$(objdump --dwarf=decodedline f | awk '$1 == "f.f90" && $2 == 10 { print substr($3, 3); exit }')
	echo "$at work N A a[1] a[4] a[5] more more[1] total SHARED" | vars f > said
	equal "arguments by reference" "$(awk -F'\t' '$3 == "ok" { sub(/\(-[0-9]*\(%bp\)\)/, "(REF)", $5); sub(/@\+[0-9]*/, "@", $5); print $4 "=" $5 }' said | xargs)" \
		"N=+0(REF):s32 A=+0(REF):s16[4] a=+0(REF):s16 a_2=+6(REF):s16 total=+0(REF):s64 SHARED=@:s32"
	has "an index behind the end" "$(cat said)" "it has elements 1 to 4"
	equal "descriptors that are refused" "$(grep -c 'told by a descriptor' said)" 2
fi
