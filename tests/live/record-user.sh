# A user without privileges, perf_event_paranoid 2, the C locale, another directory: records own commands; what is not allowed is said.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need setpriv
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
[ "$paranoid" -le 2 ] || skip "perf_event_paranoid is $paranoid"
busy='i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
home=$(mktemp -d /tmp/pt-user.XXXXXX); chown $nobody:$nobody "$home"
gone() { rm -rf "$home"; }
at_exit gone
cd "$home" || exit 1
as_nobody test -x "$PT_BIN/pt-record" || skip "the tools cannot be run by another user"

as_nobody env LC_ALL=C pt-record -e cpu-clock:u -- sh -c "$busy" 2> "$TMPDIR/err" || fail "pt-record: $(cat "$TMPDIR/err")"
n=$(samples "$TMPDIR/err")
at_least samples "$n" 10
equal lines "$(as_nobody pt-script perf.data | grep -c 'cpu-clock:u')" "$n"
equal "its owner" "$(stat -c %u perf.data)" $nobody
as_nobody env LC_ALL=C pt-record -g -o d.data -- sh -c "$busy" 2> "$TMPDIR/err" || fail "default events: $(cat "$TMPDIR/err")"
at_least samples "$(samples "$TMPDIR/err")" 10
has "the events" "$(as_nobody pt-script d.data | head -1)" :u:

if [ "$paranoid" = 2 ]; then
	as_nobody pt-record -a -o no.data -- true 2> "$TMPDIR/err"; equal "the status" $? 1
	has "the advice" "$(cat "$TMPDIR/err")" perf_event_paranoid
	[ ! -e no.data ] || fail "a file is there"
fi
as_nobody pt-record -e cpu-clock:u -o /proc/nothing -- true 2> "$TMPDIR/err"; equal "the status" $? 1
has "the message" "$(cat "$TMPDIR/err")" /proc/nothing
