# What pt-trace saw no beginning of: a call under way when it attaches has no duration, live and in a recording; and strings of an exec whose page was not in memory when it began.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need_root
need gcc jq

# begun COMMAND...: with -p of a process that is in a sleep already.
asleep() { grep -q nanosleep "/proc/$1/wchan"; }
begun()
{
	sleep 3 & sleeper=$!
	pt_pids="$pt_pids $sleeper"
	until_true 10 asleep $sleeper || fail "it does not sleep"
	"$@" -p $sleeper > out 2> errors || fail "$*: $(cat errors)"
	wait $sleeper
}
note="pt-trace: 1 call without a known duration: begun before watching, or refused by seccomp"

begun pt-trace -S -T
equal "the call" "$(sed -nE 's/ +=/ =/; /nanosleep\(/p' out)" "clock_nanosleep(...) = 0 <->"
equal "its row" "$(awk '/ clock_nanosleep$/ { $1 = $1; print }' out)" "- - - 1 0 - - - - clock_nanosleep"
has "the note" "$(cat errors)" "$note"
begun pt-trace -c -j
equal "its row in JSON" "$(jq -c 'select(.sum == "clock_nanosleep") | [.calls, .total_us, .mean_us, .p50_us, .max_us]' out)" \
	'[1,null,null,null,null]'
equal "other rows have times" "$(jq -c 'select(.sum == "close") | .mean_us > 0' out)" true
begun pt-trace -j
equal "JSON" "$(jq -c 'select(.call == "clock_nanosleep") | [.us, .ret]' out)" '[null,0]'

begun pt-record --syscall -o a.data
pt-trace -S -T a.data > out 2> errors
equal "the call in a recording" "$(sed -nE 's/^\[pid +[0-9]+\] //; s/ +=/ =/; /nanosleep\(/p' out)" "clock_nanosleep(...) = 0 <->"
equal "its row" "$(awk '/ clock_nanosleep$/ { $1 = $1; print }' out)" "- - - 1 0 - - - - clock_nanosleep"
has "the note" "$(cat errors)" "$note"

# The strings are in a page that nothing has touched.
cat > untouched.c <<'C'
#include <unistd.h>
int main(void)
{
	execl("/no/such/echo", "echo", "hi there", (char *)0);
	execl("./script", "echo", "hi there", (char *)0);
	return 1;
}
C
gcc -o untouched untouched.c
printf '#!/bin/sh -e\n:\n' > script
chmod 755 script
runs 0 pt-trace -qq -e execve -o a -- ./untouched
if grep -aq btf_trace_sched_prepare_exec /sys/kernel/btf/vmlinux; then
	has "strings of an exec" "$(cat a)" 'execve("./script", ["echo", "hi there"], '
fi
equal "execs with other strings" "$(grep -c 'echo", \[' a) $(grep -cvE '\["\./untouched"\]|\["echo", "hi there"\]|\[\?\?\?, \?\?\?\]' a)" "1 0"
