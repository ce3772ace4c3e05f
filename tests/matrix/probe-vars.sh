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
vars_try c-split c gcc -g -O2 -gsplit-dwarf
# gdb 13 finds no lists of locations in clang's split units
VARS_OPTIONS="--places 40 --gone-ok"
vars_try c-clang-split c clang -g -O2 -gsplit-dwarf
VARS_OPTIONS="--places 40"
vars_try c-split4 c gcc -gdwarf-4 -O2 -gsplit-dwarf
vars_try c-frame c gcc -g -O2 -fno-omit-frame-pointer -gz
vars_try cc-types c++ g++ -gdwarf-4 -O1 -fdebug-types-section
if command -v ld.lld > /dev/null; then vars_try c-lld c clang -g -O2 -fuse-ld=lld; fi
if command -v rustc > /dev/null; then
	for o in 0 1 2 3; do vars_try rust$o rust rustc -g -C opt-level=$o; done
else
	echo "rustc is not installed: no programs in Rust"
fi
vars_end 12000
