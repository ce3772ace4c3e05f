# Attaching: thousands of threads with a low limit of open files; each thread that is born meanwhile exactly once; children processes.
. "$PT_TOP/tests/lib.sh"
need_events syscalls:sys_enter_getppid
ev=syscalls:sys_enter_getppid

# attach WHEN N K ARG...: starts the threads, watches once WHEN was said, lets them make their calls when all are there.
attach() {
	local when=$1; shift
	rm -f in said out err; mkfifo in; : > said; : > err
	background sh -c 'exec threads "$@" < in > said' threads "$@"
	exec 7> in			# returns when they have opened it
	until_true 120 grep -q "^$when" said || fail "no threads"
	background watch -p "$(awk '{ print $2; exit }' said)" -e $ev > out 2> err 7>&-
	local watcher=$!
	until_true 300 grep -q . err || fail "not watching"
	equal "watch's word" "$(cat err)" watching
	until_true 300 grep -q ^all said || fail "not all threads"
	exec 7>&-
	wait $watcher || fail "watch: $(cat err)"
	samples=$(awk -v ev=$ev '$2 == ev { print $4 }' out)
}

(
	ulimit -Sn 256
	attach all 2000 5
	equal "calls of 2,000 threads" "$samples" 10000
) || exit 1

[ "$(ulimit -Hn)" -ge 8192 ] || skip "the hard limit of open files is too low for the rest"
# While the kernel may swap the counters of like threads (before 6.12) some are not counted.
swaps=false; [ "$(printf '%s\n' 6.12 "$(uname -r)" | sort -V | head -1)" = 6.12 ] || swaps=true
for pause in 1000 100 0; do
	attach pid 500 10 $pause
	$swaps || equal "calls of threads born meanwhile, $pause us apart" "$samples" 5000
	at_most "calls of threads born meanwhile" "$samples" 5000
done
attach pid 300 10 1000 chain
$swaps || equal "calls of threads each born of the one before" "$samples" 3000
# A thread that is being made while counting begins, its maker kept from the CPU, must not stay without, nor its descendants (one of ten such runs).
for i in 1 2 3 4; do background sh -c 'while :; do :; done'; done
for i in 1 2 3 4 5 6 7 8; do
	attach pid 300 1 100 chain
	$swaps || equal "calls of threads each born of the one before, on busy CPUs" "$samples" 300
done

# With hardly more files than the counters take.
(
	cpus=$(getconf _NPROCESSORS_CONF)
	ulimit -n $((500 * cpus * 2 + 40 * cpus + 64)) 2> /dev/null || exit 0
	attach all 500 10
	equal "calls with few files to spare" "$samples" 5000
) || exit 1
