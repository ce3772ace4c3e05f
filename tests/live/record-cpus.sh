# -C: a task that gets its name and its mappings on another CPU has them when it comes to this one.
. "$PT_TOP/tests/lib.sh"
need_root; need taskset; need_perf
[ "$(nproc)" -ge 2 ] || skip "one CPU"
cp /bin/bash mover
cat > move.sh <<'T'
taskset -p -c 0 $$ > /dev/null
for ((i = 0; i < 300000; i++)); do :; done
T
pt-record -q -F 500 -C 0 -e cpu-clock:u -o cpu.data -- taskset -c 1 ./mover move.sh || fail pt-record
pt-script -F comm,pid,cpu,ip,sym,dso cpu.data > cpu.txt 2> err
at_least "samples of the program under its name" "$(grep -c '^ *mover ' cpu.txt)" 10
at_least "of them in its file" "$(grep '^ *mover ' cpu.txt | grep -c 'mover)$')" 5
equal "samples of other CPUs" "$(grep -v '\[000\]' cpu.txt | head -3)" ""
equal "what perf says, too" "$(perf script -F comm -i cpu.data 2> /dev/null | grep -c mover)" "$(grep -c '^ *mover ' cpu.txt)"
pt-stack -F 500 -C 0 -e cpu-clock:u -- taskset -c 1 ./mover move.sh > stack.txt 2> err || fail "pt-stack: $(cat err)"
has "pt-stack's names" "$(cut -d';' -f1 stack.txt | sort -u)" mover
