# Every event of a fixed period is there, once: of a command, of the machine, of several processes at a time; what was lost is told to the last one.
. "$PT_TOP/tests/lib.sh"
need_events syscalls:sys_enter_write
# got EVENT FIELD: of watch's lines in "out"
got() { awk -v ev="$1" -v f="$2" '$1 == "event" && $2 == ev { for (i = 3; i < NF; i++) if ($i == f) print $(i + 1) }' out; }
record() { awk -v f="$1" '$1 == "records" { for (i = 2; i < NF; i++) if ($i == f) print $(i + 1) }' out; }
write=syscalls:sys_enter_write

runs 0 watch -e $write -- dd if=/dev/zero of=/dev/null bs=512 count=100k status=none > out
equal "writes of a command" "$(got $write samples) $(got $write lost) $(got $write undelivered)" "102400 0 0"
equal "its name and its end" "$(record comm) $(record exit) $(record child)" "1 1 1"

# The machine, ourselves left out; other processes may write as well, so only dd's are let through.
runs 0 watch -a -s -e $write -f 'count == 513' -- dd if=/dev/zero of=/dev/null bs=513 count=20000 status=none > out
equal "writes on the machine" "$(got $write samples) $(got $write lost) $(got $write undelivered)" "20000 0 0"

runs 0 watch -e $write -- sh -c 'for i in 1 2 3 4; do dd if=/dev/zero of=/dev/null bs=512 count=10000 status=none & done; wait' > out
equal "writes of children" "$(got $write samples) $(got $write lost) $(got $write undelivered)" "40000 0 0"
equal "records out of order are those that came late" "$(record unsorted)" "$(record late)"
at_most "late records" "$(record late)" 40

need_root
need_uprobes
cp "$PT_TOOLS/hits" hits && PATH=$PWD:$PATH		# a file of our own: nobody else hits it
ev=ptx$$:hit
echo "p:ptx$$/hit $(hits --where)" >> "$(tracefs)/uprobe_events"
gone() { until_true 20 sh -c "echo '-:ptx$$/hit' >> $(tracefs)/uprobe_events"; }
at_exit gone

runs 0 watch -e $ev -- hits 50000 > out
equal "hits" "$(got $ev samples) $(got $ev lost) $(got $ev undelivered)" "50000 0 0"
runs 0 watch -a -e $ev -- hits 20000 3 > out
equal "hits of three at a time" "$(got $ev samples) $(got $ev lost) $(got $ev undelivered)" "60000 0 0"
# On one CPU: each counts for itself.
runs 0 watch -e $ev -c 10 -- taskset -c 0 hits 50000 > out
equal "each tenth hit" "$(got $ev samples) $(got $ev lost)" "5000 0"

# The watcher is stopped while its ring of one page overflows.
runs 0 watch -m 1 -e $ev -- sh -c 'kill -STOP $PPID; hits 5000; kill -CONT $PPID' > out
at_least "lost hits" "$(got $ev lost)" 1
equal "hits recorded and lost" $(($(got $ev samples) + $(got $ev lost))) 5000
equal "not delivered" "$(got $ev undelivered)" 0
