# Variables as a probe fetches them, beside what gdb prints at the same places in the same hits; the matrix has more compilers and options.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/probevars.sh"
need gcc
vars_need
VARS_OPTIONS="--places 50"
vars_try c-O2 c gcc -g -O2
vars_try c-O0 c gcc -gdwarf-4 -O0
cases=1600
if command -v g++ > /dev/null; then vars_try cc-O2 c++ g++ -g -O2; cases=$((cases + 400)); fi
vars_end $cases
