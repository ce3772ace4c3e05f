# pt-stat on real events: streams, statuses and signals pass through; exact counts of running threads, of repeats; nothing stays behind.
. "$PT_TOP/tests/lib.sh"
need_root; need_events syscalls:sys_enter_getppid

# The command's streams and status are its own.
equal "standard output" "$(echo hello | pt-stat -o /dev/null cat)" hello
equal "standard error" "$(pt-stat -o /dev/null sh -c 'echo oops >&2' 2>&1)" oops
runs 3 pt-stat -q sh -c 'exit 3'
runs 143 pt-stat -q sh -c 'kill $$'
out=$(pt-stat -x, -o - -e page-faults true) || fail "pt-stat -o -"
at_least "page faults" "${out%%,*}" 1

# Ctrl-C prints what was counted.
setsid pt-stat -a -x, -I 20 --summary -o ticks -e context-switches & pid=$!
pt_pids="$pt_pids $pid"
until_true 60 grep -q context-switches ticks || fail "no interval comes"
kill -INT $pid; wait $pid || fail "pt-stat after SIGINT: $?"
grep -q '^ *summary,' ticks || fail "no summary after SIGINT: $(cat ticks)"
awk -F, '!/summary/ { a += $2 } /summary/ { s = $2 } END { exit !(s > 0 && a == s) }' ticks || fail "intervals before SIGINT do not add up: $(cat ticks)"

# Short intervals are printed several at a time, but while the command runs: it ends when the reader of the pipe has had three.
mkfifo enough
pt-stat -x, -I 10 -o - -e page-faults -- sh -c 'read line < enough' | { head -3; timeout 100 sh -c 'echo > enough'; cat; } > lines || fail "pt-stat -I into a pipe"
at_least "intervals" "$(grep -c page-faults lines)" 4
# Each on a multiple of its own, whatever else the machine does; the last one is the end.
sed '$d' lines | awk -F, '{ n = int($1 * 100 + 1e-6) } n <= last { exit 1 } { last = n }' || fail "intervals that are not on their multiples: $(cat lines)"

# While tasks are born and end, the kernel refuses to add up their groups now and then: what it refuses at one tick is in the next.
pt-stat -x, -I 1 --summary -o forks -e '{page-faults,context-switches,syscalls:sys_enter_getppid}' -- sh -c 'for i in $(seq 60); do (:) & /bin/true; done; wait' || fail "pt-stat -I 1 of a group, forks: $?"
awk -F, '/page-faults/ { if (/summary/) s = $2; else a += $2 } END { exit !(s > 0 && a == s) }' forks || fail "intervals with forks do not add up: $(cat forks)"

# All threads of a process that runs already, and those they make: each call once.
mkfifo go
exec 9<> go
threads 200 50 0 < go > said 9>&- & pt_pids="$pt_pids $!"
until_true 60 grep -q all said || fail "threads do not come"
target=$(awk '/^all/ { print $2 }' said)
pt-stat -p "$target" -x, -I 20 --summary -o counts -e syscalls:sys_enter_getppid,context-switches 9>&- & pid=$!
pt_pids="$pt_pids $pid"
until_true 60 grep -q getppid counts || fail "nothing is counted: $(cat counts)"
exec 9>&-
wait $pid || fail "pt-stat -p: $?"
equal "calls of 200 threads" "$(awk -F, '/summary.*getppid/ { print $2 }' counts)" 10000

# Threads apart: as many rows as threads, all of the same count.
exec 9<> go
threads 20 50 0 < go > said2 9>&- & pt_pids="$pt_pids $!"
until_true 60 grep -q all said2 || fail "threads do not come"
target=$(awk '/^all/ { print $2 }' said2)
pt-stat -p "$target" --per-thread -x, -I 20 --summary -o apart -e syscalls:sys_enter_getppid 9>&- & pid=$!
pt_pids="$pt_pids $pid"
until_true 60 grep -q getppid apart || fail "nothing is counted: $(cat apart)"
exec 9>&-
wait $pid || fail "pt-stat --per-thread: $?"
equal "threads that made 50 calls" "$(grep -c 'summary,threads-[0-9]*,50,,' apart)" 20

# They are named as they were when counting began, also those that are gone at its end.
exec 9<> go
threads 20 50 0 < go > said3 9>&- & pt_pids="$pt_pids $!"
until_true 60 grep -q all said3 || fail "threads do not come"
target=$(awk '/^all/ { print $2 }' said3)
pt-stat -p "$target" --per-thread -x, -o named -e syscalls:sys_enter_getppid -- sh -c 'echo > go; exec sleep 100' 9>&- || fail "pt-stat --per-thread, with a command: $?"
exec 9>&-
equal "threads with a name" "$(grep -c '^threads-[0-9]*,50,,' named)" 20

# A user's processes.
as_nobody timeout 60 sh -c 'while :; do :; done' &
until_true 60 pgrep -u $nobody -x sh || fail "no process of another user"
runs 0 pt-stat -u $nobody -x, -o user -e task-clock --for 0.5
pkill -u $nobody -x sh
awk -F, '/task-clock/ { exit !($1 > 20) }' user || fail "the time of a user's process: $(cat user)"

# -a --per-thread has the threads of all processes that run.
exec 9<> go
threads 20 50 0 < go > said4 9>&- & pt_pids="$pt_pids $!"
until_true 60 grep -q all said4 || fail "threads do not come"
target=$(awk '/^all/ { print $2 }' said4)
pt-stat -a --per-thread -x, -o all -e syscalls:sys_enter_getppid -- sh -c "echo > go; while grep -q '^State:.[^Z]' /proc/$target/status; do sleep 0.05; done" 9>&- || fail "pt-stat -a --per-thread: $?"
exec 9>&-
equal "threads with a name, of all" "$(grep -c '^threads-[0-9]*,50,,' all)" 20

# A count that is always the same has no spread, and its mean is exact.
pt-stat -r 20 -x, -o runs -e syscalls:sys_enter_write -- dd if=/dev/zero of=/dev/null bs=1 count=500 status=none || fail "pt-stat -r 20"
has "20 runs" "$(cat runs)" "500,,syscalls:sys_enter_write,0.00%,"
equal "time of each run" "$(pt-stat -r 4 -n --table true 2>&1 | grep -c '^ *[0-9.]* ([+-][0-9.]*) #')" 4

# A group is counted together, one that is alone too; a command beside -p is only the clock.
sleep 100 & target=$!
pt_pids="$pt_pids $target"
has "another's count" "$(pt-stat -p $target -x, -o - -e page-faults -- python3 -c 'x = [0] * 1000000' 2>&1)" "<not counted>"

# Many tracepoints: whoever waits for the kernel to close them, it is not for long that somebody does.
pt-stat -x, -o many -e 'syscalls:sys_enter_s*' -- true || fail "system calls"
at_least "tracepoints" "$(grep -c sys_enter_ many)" 50
gone() { ! pgrep -x pt-stat > /dev/null; }
until_true 120 gone || fail "a pt-stat is still there: $(ps -C pt-stat -f)"

# Where it is written: a full disk is an error, an unreadable place too; the next output replaces the one before in one step.
runs 1 pt-stat -o /dev/full true 2> err
has "full disk" "$(cat err)" "No space left"
for i in 1 2; do pt-stat --openmetrics -o pt.prom -e page-faults true || fail "--openmetrics"; done
equal "files" "$(ls | grep -c '^pt.prom')" 1
equal "last line" "$(tail -1 pt.prom)" "# EOF"
pt-stat -x, -o app -e page-faults true; pt-stat -x, -o app --append -e page-faults true
equal "lines appended" "$(grep -c page-faults app)" 2
pt-stat --log-fd 5 -x, -e page-faults true 5> fd || fail "--log-fd"
has "--log-fd" "$(cat fd)" page-faults

# Times are in the row of the first CPU, or task, that is counted; with -D's ranges they are what these span.
last=$(sed 's/.*[,-]//' /sys/devices/system/cpu/online)
equal "the CPU that is counted" "$(pt-stat -C "$last" -A -x, -o - -e page-faults,duration_time -- true | cut -d, -f1 | uniq)" "CPU$last"
equal "the thread that is counted" "$(pt-stat -p $target --per-thread -x, -o - -e page-faults,duration_time -- true | cut -d, -f1 | uniq)" "sleep-$target"
equal "time of ranges" "$(pt-stat -D 10-30,40-45 -x, -o - -e duration_time -- sleep 0.1)" "25000000,ns,duration_time,25000000,100.00,,"
