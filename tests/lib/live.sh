# live.sh - for tests on real events (sourced by lib.sh).

pt_pids=
# background COMMAND...: runs it; killed when the test ends. $! is its pid.
background() { "$@" & pt_pids="$pt_pids $!"; }
pt_cleanup() {
	local p f
	for p in $pt_pids; do kill -CONT "$p" 2>/dev/null; kill "$p" 2>/dev/null; done
	for f in ${pt_at_exit:-}; do $f; done
	[ ! -e "$TMPDIR/.disk-dirs" ] || xargs -d '\n' rm -rf < "$TMPDIR/.disk-dirs"
}
trap pt_cleanup EXIT
# at_exit FUNCTION: called when the test ends, however it ends
at_exit() { pt_at_exit="${pt_at_exit:-} $1"; }

# Keeps all CPUs but 0 out of idle for the rest of the test: some kernels lose events of idle CPUs (see pt-doctor(1)).
spin() { background "$PT_TOP/scripts/spin"; until_true 10 pgrep -P $! ; }

tracefs() { local d; for d in /sys/kernel/tracing /sys/kernel/debug/tracing; do [ -e $d/events ] && { echo $d; return; }; done; mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null && echo /sys/kernel/tracing; }
need_tracefs() { [ -n "$(tracefs)" ] || skip "no tracefs"; [ -r "$(tracefs)/events" ] || skip "tracefs cannot be read"; }
need_events() { need_tracefs; local ev; for ev; do [ -e "$(tracefs)/events/${ev/://}" ] || skip "this kernel has no $ev"; done; }
need_perf() { command -v perf > /dev/null || skip "perf is not installed"; perf --version > /dev/null 2>&1 || skip "perf does not run"; }
need_uprobes() { need_tracefs; [ -w "$(tracefs)/uprobe_events" ] || skip "uprobe_events cannot be written"; }
# A directory on a real disk (not tmpfs): where block events come from.
disk_dir() {
	local d
	for d in "$TMPDIR" /var/tmp "$PT_TOP"; do
		case $(stat -f -c %T "$d") in tmpfs|ramfs|overlayfs) continue ;; esac
		d=$(mktemp -d "$d/pt-disk.XXXXXX") && { echo "$d" >> "$TMPDIR/.disk-dirs"; echo "$d"; return; }
	done
	return 1
}
