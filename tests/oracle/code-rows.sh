# The depth of the stack as it is read from instructions, beside the call frame information of a program: at every instruction the same, and few of them unknown.
. "$PT_TOP/tests/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "of x86-64"
runs 0 "$PT_TOOLS/code-rows" "$(command -v dash)" > out
read -r rows _ unknown _ differ _ < <(tail -1 out)
[ "$unknown" -lt "$rows" ] || skip "pt was built without Zydis"
equal "rows that differ: $(head -3 out)" "$differ" 0
at_least "rows" "$rows" 5000
at_most "unknown, in percent" $((unknown * 100 / rows)) 40
