# Every event that perf list knows here is listed, and what pt-list calls openable is what perf list shows: it leaves out what does not open, too.
. "$PT_TOP/tests/lib.sh"
need_perf
need jq
need_root
need_tracefs
# perf's names: "a OR b   [kind]"; forms of names and what is printed around them are none.
perf list 2> /dev/null | grep -E '\[(Software|Hardware|Hardware cache|Tool|Kernel PMU|Tracepoint) event\]' |
	sed -E 's/^ +//; s/ +\[[A-Za-z ]+\].*//' > perf.rows
at_least "perf's rows" "$(wc -l < perf.rows)" 100
sed 's/ OR /\n/g' perf.rows | sort -u > perf.names
pt-list -j > pt.json || fail "pt-list -j ended with $?"
jq -r 'select(.opens) | .name, (.alias // empty)' pt.json | sort -u > pt.names
# Of ftrace's own entries two are in perf's list; pt-list leaves them to those who name them.
sed -i '/^ftrace:/d' perf.names
missing=$(comm -23 perf.names pt.names | head)
equal "not listed" "$missing" ""
# The other way round: vendors' names are not perf's.
jq -r 'select(.opens and (.pattern | not) and .kind != "vendor" and .kind != "probe") | .name' pt.json | sort -u > pt.own
more=$(comm -13 perf.names pt.own | head)
equal "listed, but not by perf" "$more" ""
# What is printed for -e are these, in the same order, and -e takes them.
pt-list > names
jq -r 'select(.opens != false and (.pattern | not)) | .name' pt.json | cmp -s - names || fail "names and JSON differ"
grep -vE '^(duration_time|user_time|system_time)$' names | grep -v : > counted
# Counted with -a: some PMUs (power/energy-psys/) count no single task.
pt-stat -a -x, -o counts -e "$(paste -sd, counted)" -- true || fail "pt-stat does not take the names"
equal "counts" "$(grep -c , counts)" "$(grep -c . counted)"
! grep -F '<not supported>' counts || fail "a name that pt-list prints is not supported"
