# pt-record --format trace.dat: trace-cmd report shows the events that pt-script shows, whichever rings they came from; losses are in it; what it cannot hold is refused.
. "$PT_TOP/tests/lib.sh"
need_root
need trace-cmd
need_events sched:sched_switch sched:sched_process_exec syscalls:sys_enter_write
rings=perf
[ ! -w "$(tracefs)/instances" ] || rings="perf tracefs"

theirs() {
	trace-cmd report -t -N "$1" 2> /dev/null | awk '
	match($0, /-[0-9]+ +\[[0-9]+\] +[0-9.]+: [a-z_0-9A-Z]+:/) {
		split(substr($0, RSTART + 1), w, " +"); text = substr($0, RSTART + RLENGTH); gsub(/^ +| +$/, "", text)
		print w[1], w[2], w[3], w[4], text
	}'
}
ours() {
	pt-script --ns -F tid,cpu,time,event,trace "$@" | awk '
	match($0, /: +[a-z_0-9A-Z]+:[a-z_0-9A-Z]+: ?/) {
		text = substr($0, RSTART + RLENGTH); name = $4; sub(/^[^:]*:/, "", name); gsub(/^ +| +$/, "", text)
		print $1, $2, $3, name, text
	}'
}
for ring in $rings; do
	echo "== $ring"
	pt-record --format trace.dat --ring $ring -a -e sched:sched_switch,sched:sched_process_exec,syscalls:sys_enter_write -o t.dat -- \
		sh -c '/bin/true; sleep 0.3; dd if=/dev/zero of=/dev/null bs=7919 count=500 status=none' 2> err || fail "pt-record: $(cat err)"
	theirs t.dat > theirs.txt
	ours t.dat > ours.txt || fail "pt-script"
	same_file "events of $ring" ours.txt theirs.txt
	equal "writes" "$(grep -c 'sys_enter_write: fd: .*count: 0x00001eef' ours.txt)" 500
	has "programs" "$(cat ours.txt)" "sched_process_exec: filename=/bin/true"
	has "samples" "$(cat err)" "pt-record: $(wc -l < ours.txt | sed ':a; s/\B[0-9]\{3\}\>/,&/; ta') samples"
	has "names" "$(trace-cmd report t.dat 2> /dev/null)" " dd-"
	[ -e t.dat.old ] || [ $ring = perf ] || fail "the old file is gone"
done

echo "== the same figures"
pt-record -q --format trace.dat -a --sched -o s.dat -- sh -c 'for i in 1 2 3 4 5 6 7 8 9; do /bin/true; done' || fail "--sched"
pt-lat --sched --summary s.dat > summary 2> notes || fail "pt-lat: $(tail -1 notes)"
at_least "wake-ups" "$(awk 'NR == 2 { print $1 }' summary)" 9

echo "== losses"
pt-record --format trace.dat -m 8 --ring perf -a -e syscalls:sys_enter_write -o l.dat -- dd if=/dev/zero of=/dev/null bs=1 count=300000 status=none 2> err || fail "losses: $(cat err)"
if grep -q 'w[a-z]* lost' err; then
	pt-script -F event l.dat > /dev/null 2> said
	has "losses of the recording" "$(cat said)" " lost"
fi

echo "== refused"
for how in "-g -e sched:sched_switch" "-e cpu-clock" "-z -e sched:sched_switch" "-d -e sched:sched_switch" "-o - -e sched:sched_switch"; do
	# shellcheck disable=SC2086
	runs 2 pt-record --format trace.dat $how -- true 2> err
	has "$how" "$(cat err)" "--format trace.dat"
done
runs 1 pt-record -q --format trace.dat -o /no/such/t.dat -e sched:sched_switch -- true 2> err
has "no folder" "$(cat err)" "No such file"
runs 3 pt-record -q --format trace.dat -e sched:sched_switch -o e.dat -- sh -c 'exit 3'
