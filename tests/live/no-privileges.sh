# An ordinary user is told what is missing and the command that lifts it; the command, as it is written, does.
# alone: tracefs and perf_event_paranoid are the whole machine's
. "$PT_TOP/tests/lib.sh"
need_root
need_events sched:sched_switch
setting=/proc/sys/kernel/perf_event_paranoid
was=$(cat $setting) || skip "no $setting"
dir=$(tracefs)
mode=$(stat -c '0%a' "$dir") group=$(stat -c %g "$dir")
at_exit restore
restore() { echo "$was" > $setting; mount -o "remount,mode=$mode,gid=$group" "$dir"; }
echo 2 > $setting 2> /dev/null || skip "perf_event_paranoid cannot be set"
mount -o remount,mode=0700,gid=0 "$dir" || skip "tracefs cannot be mounted anew"
cp "$PT_BIN"/pt-* . && chmod 755 pt-*
chmod 777 .		# where pt-record writes as nobody

# refused TOOL ARG...: status 1, nothing on stdout; the message is left in $said
refused() {
	runs 1 as_nobody "./$@" > out 2> err < /dev/null
	empty "stdout of $*" out
	said=$(cat err)
	has "message of $*" "$said" "$1: "
}
# The command between backquotes of a message.
lift() { local c=${said#*\`}; c=${c%%\`*}; echo "+ $c"; $c > /dev/null || fail "the advice does not work: $c"; }

watchers=()
for t in pt-record pt-script pt-lat pt-heatmap pt-stat pt-trace; do
	[ ! -x ./$t ] || ! ./$t --complete-options | grep -qx -e '--sched' || watchers+=($t)
done
[ ${#watchers[@]} -gt 0 ] || skip "no tool that watches is built"

spin
background sh -c 'while sleep 0.01; do :; done'		# wake-ups to be seen
for t in "${watchers[@]}"; do
	echo "== $t"
	mount -o remount,mode=0700,gid=0 "$dir"
	for level in 2 3; do
		echo $level > $setting
		refused $t --sched --for 1
		has "no tracefs, level $level" "$said" "$dir: Permission denied"
		has "no tracefs, level $level" "$said" "mount -o remount,mode=0750,gid=$nobody $dir"
	done
	lift
	echo 2 > $setting
	refused $t --sched --for 1
	has "level 2" "$said" "kernel.perf_event_paranoid is 2"
	lift
	runs 0 as_nobody ./$t --sched --for 0.2 > out 2> err < /dev/null
	echo 2 > $setting
done

echo "== words that nobody wrote are not pointed at"
mount -o remount,mode=0700,gid=0 "$dir"
refused pt-timehist --for 1
has "tracefs" "$said" "$dir: Permission denied"
equal "lines of the message" "$(wc -l < err)" 1

# Context switches happen within the kernel: an ordinary user's count of them, and :u, would be 0 whatever happens.
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ]; then
	as_nobody pt-stat -x, -o - -e faults,cs,migrations -- true > counts 2> err || fail "pt-stat: $(cat err)"
	equal "switches without the kernel" "$(grep -c '^<not supported>,,\(cs\|migrations\),' counts)" 2
	has "faults" "$(cat counts)" "faults:u"
	has "why" "$(cat err)" "cs happens within the kernel, which this user may not watch"
fi
pt-stat -x, -o - -e cs:u -- true > counts 2> err || fail "pt-stat -e cs:u"
has "cs:u" "$(cat counts)" "<not supported>,,cs:u,"
runs 1 pt-script -e cs:u -- true > out 2> err
has "cs:u, sampled" "$(cat err)" "which :u leaves out"
