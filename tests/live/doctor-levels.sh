# pt-doctor tells an ordinary user what each perf_event_paranoid level leaves, and its cures do what they say.
# variants: plain san
# alone: perf_event_paranoid is the whole machine's
. "$PT_TOP/tests/lib.sh"
need_root
need_tracefs
setting=/proc/sys/kernel/perf_event_paranoid
was=$(cat $setting) || skip "no $setting"
at_exit restore
restore() { echo "$was" > $setting; }
echo "$was" > $setting 2> /dev/null || skip "perf_event_paranoid cannot be set"
cp "$PT_BIN/pt-doctor" . && chmod 755 pt-doctor

state() { as_nobody ./pt-doctor -q | awk -v k="$1" '$2 == k { print $1; exit }'; }
cure() { as_nobody ./pt-doctor -q | awk -v k="$1" '$2 == k && $3 == "->" { sub(/^.*-> /, ""); print; exit }'; }

# LEVEL: software in-kernel all-cpus paranoid
while read -r level software kernel cpus paranoid; do
	echo "$level" > $setting
	equal "level $level, software" "$(state software)" "$software"
	equal "level $level, in-kernel" "$(state in-kernel)" "$kernel"
	equal "level $level, all-cpus" "$(state all-cpus)" "$cpus"
	equal "level $level, paranoid" "$(state paranoid)" "$paranoid"
	has "level $level" "$(as_nobody ./pt-doctor -q)" "kernel.perf_event_paranoid is $level:"
	equal "level $level, root" "$(pt-doctor -q | awk '$2 == "all-cpus" { print $1 }')" ok
done <<- END
	-1 ok ok ok ok
	0 ok ok ok limited
	1 ok ok missing limited
	2 ok missing missing limited
END

# 3 and 4: kernels of Debian and Ubuntu open nothing, others what 2 leaves.
for level in 3 4; do
	echo $level > $setting 2> /dev/null || continue
	equal "level $level, paranoid" "$(state paranoid)" missing
	case $(state software) in ok|missing) ;; *) fail "level $level, software: $(state software)" ;; esac
	equal "level $level, all-cpus" "$(state all-cpus)" missing
done

# The cures, as they are written, lift what they are for.
echo 2 > $setting
for key in in-kernel all-cpus paranoid; do
	command=$(cure $key)
	equal "cure of $key" "${command% *}" "sudo sysctl"
	${command#sudo } > /dev/null || skip "no sysctl"
	equal "$key after '$command'" "$(state $key)" ok
	echo 2 > $setting
done

# Within a user namespace even root is an ordinary user to the kernel: nothing is called fit for it, and no advice is for the namespace's root.
if unshare -Ur true 2> /dev/null; then
	echo 2 > $setting
	unshare -Ur pt-doctor -q > inside
	inside() { awk -v k="$1" '$2 == k { print $1; exit }' inside; }
	for key in user container paranoid; do
		equal "$key in a user namespace" "$(inside $key)" limited
	done
	equal "all-cpus in a user namespace" "$(inside all-cpus)" missing
	equal "advice for the namespace's root" "$(grep -cE -e '-> (sudo |sysctl )|gid=' inside)" 0
	has "advice in a user namespace" "$(cat inside)" "-> on the host: sudo sysctl kernel.perf_event_paranoid="
fi
