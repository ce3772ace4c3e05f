# System calls, probes and events by name, counted exactly.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need_root
need_events syscalls:sys_enter_write raw_syscalls:sys_enter
cp "$(command -v dd)" ./latdd
writes="./latdd if=/dev/zero of=/dev/null bs=512 count=2000 status=none"

runs 0 pt-lat --syscall=write -o lines -- $writes
equal "writes, --syscall=write" "$(grep -c ' write [0-9]* latdd$' lines)" 2000
sh -c "while :; do /bin/echo other; done" > others & noise=$!
at_exit stop_noise
stop_noise() { kill $noise; } 2> /dev/null
runs 0 pt-lat --syscall=write -o lines -- sh -c "$writes; $writes"
equal "writes of the command and its children alone" "$(wc -l < lines)" 4000
until_true 60 test -s others || fail "nobody else writes"
runs 0 pt-lat --syscall=write -a -o lines -- sh -c "$writes; sleep 0.3"
at_least "writes of others, -a" "$(grep -vc latdd lines)" 1
kill $noise
runs 0 pt-lat --syscall -S --by syscall -o table -- $writes 2> errors
has "errors" "$(cat errors)x" x
at_least "writes, --syscall" "$(awk '$NF == "write" { print $1 }' table)" 2000
runs 0 pt-lat --from syscalls:sys_enter_write --to syscalls:sys_exit_write -o lines -- $writes
equal "writes, --from --to" "$(grep -c ' latdd$' lines)" 2000
runs 0 pt-record -q -e raw_syscalls:sys_enter,raw_syscalls:sys_exit -o calls.data -- $writes
equal "writes, of a recording" "$(pt-lat --syscall=write calls.data | grep -c latdd)" 2000
equal "writes, by number" "$(pt-lat --syscall=1 calls.data | grep -c latdd)" 2000

# Where the longest come from: the stack of each, and the descriptor; of a recording, too.
runs 0 pt-lat --syscall=write --worst 3 -g -o lines -- $writes
equal "the longest, with stacks" "$(grep -c ' write [0-9]* latdd fd 1' lines)" 3
at_least "functions" "$(grep -c '^#     ' lines)" 6
has "functions" "$(cat lines)" write
runs 0 pt-lat --syscall=write --worst 1 -g -j -o lines -- $writes
equal "the same in JSON" "$(jq -c '[.fd, (.stack | length > 1)]' lines)" "[1,true]"
equal "a recording" "$(pt-lat --syscall=write --worst 2 calls.data | grep -c ' latdd fd 1$')" 2
runs 2 pt-lat --syscall -g -- true 2> errors
has "-g alone" "$(cat errors)" --worst

# A call that has not returned when the session ends is the longest.
mkfifo first second
exec 8<> first 9<> second
background bash -c 'read -r x <&8; read -r x <&9'; reader=$!
pt-lat --syscall=read --worst 2 -p $reader --for 4 > lines 2> errors & lat=$!
sleep 2; echo x >&8
wait $lat || fail "pt-lat: $(cat errors)"
equal "calls that have not returned" "$(grep -c " read $reader bash fd 0 <$PWD/second> \[not ended\]$" lines)" 1
has "the longest" "$(head -1 lines)" "[not ended]"
kill $reader
exec 8>&- 9>&-

# The command's status is the tool's.
runs 7 pt-lat --syscall=write -o lines -- sh -c 'exit 7'

# A function that calls itself, between uprobes.
[ -w "$(tracefs)/uprobe_events" ] || { echo "no uprobes here: the rest is left out"; exit 0; }
bin=$PT_TOP/$(basename "$(dirname "$PT_TOOLS")")
tool=$PT_TOOLS/lat-calls
need readelf
read -r addr < <(readelf -sW "$tool" | awk '$8 == "lat_fib" { print $2; exit }')
[ -n "$addr" ] || fail "lat_fib is not in $tool"
read -r off vaddr < <(readelf -lW "$tool" | awk '$1 == "LOAD" && / R *E / { print $2, $3; exit }')
at=$(printf '0x%x' $((0x$addr - vaddr + off)))
group=ptlat$$
at_exit unprobe
unprobe() { echo "-:$group/fib" >> "$(tracefs)/uprobe_events"; echo "-:$group/fib__return" >> "$(tracefs)/uprobe_events"; } 2> /dev/null
cp "$tool" ./latcalls
echo "p:$group/fib $PWD/latcalls:$at" >> "$(tracefs)/uprobe_events" || skip "uprobe_events takes no probe"
echo "r:$group/fib__return $PWD/latcalls:$at" >> "$(tracefs)/uprobe_events" || fail "no return probe"
runs 0 pt-lat --probe $group:fib,$group:fib__return -o lines -- ./latcalls 10 2> errors
equal "calls" "$(wc -l < lines)" 177
equal "what the command and the tool say" "$(cat errors)" "55 177"	# its stdout goes to stderr, and nothing is unpaired
# The outermost call ends last and took longest.
equal "outermost" "$(sort -k2,2 -n lines | tail -1)" "$(tail -1 lines)"
pt-record -q -e $group:fib,$group:fib__return -o fib.data -- ./latcalls 10 > /dev/null
runs 0 pt-lat fib.data > lines 2> errors
equal "calls, chosen from the recording" "$(wc -l < lines)" 177
