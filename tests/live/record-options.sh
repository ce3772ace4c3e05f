# Options of perf record do in pt-record what they do in perf: seen in the attributes, records and files that come of them.
. "$PT_TOP/tests/lib.sh"
need_root; need_perf
burn=(sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done')
record() { pt-record -q -o t.data "$@" || fail "pt-record $*"; }
attr() { perf evlist -v -i t.data 2> /dev/null | grep -F -- "$1:"; }
lacks() { case $2 in *"$3"*) fail "$1 is '$2', with '$3'" ;; esac; }

record --all-user -e cpu-clock,page-faults -- "${burn[@]}"
for ev in cpu-clock page-faults; do has "--all-user: $ev" "$(attr $ev)" "exclude_kernel: 1"; done
lacks "--all-user" "$(attr cpu-clock)" exclude_user
record --all-kernel -e cpu-clock -- true
has "--all-kernel" "$(attr cpu-clock)" "exclude_user: 1"
lacks "--all-kernel" "$(attr cpu-clock)" "exclude_kernel"

record -W --phys-data --data-page-size --code-page-size -e cpu-clock -- "${burn[@]}"
has "fields of samples" "$(attr cpu-clock)" "WEIGHT|PHYS_ADDR|DATA_PAGE_SIZE|CODE_PAGE_SIZE"
pt-script -F comm,phys_addr,weight,data_page_size,code_page_size t.data > pt.out 2> pt.err || fail "pt-script: $(cat pt.err)"
at_least "samples" "$(wc -l < pt.out)" 1
at_least "samples with a page of code" "$(grep -c ' 4K' pt.out)" 1
same_file "perf script and pt-script" <(perf script -F comm,phys_addr,weight,data_page_size,code_page_size -i t.data 2> /dev/null) pt.out
record -d -e cpu-clock -- "${burn[@]}"
has "-d" "$(attr cpu-clock)" "DATA_SRC"

record --kernel-callchains -g -e cpu-clock -- "${burn[@]}"
has "--kernel-callchains" "$(attr cpu-clock)" "exclude_callchain_user: 1"
record --user-callchains -g -e cpu-clock -- "${burn[@]}"
has "--user-callchains" "$(attr cpu-clock)" "exclude_callchain_kernel: 1"

record --group -e cpu-clock,page-faults -- true
has "--group" "$(perf evlist -g -i t.data 2> /dev/null)" "{cpu-clock,page-faults}"

# Records of switches: the command sleeps, so there are some.
record --switch-events -e cpu-clock -- sh -c 'sleep 0.01; sleep 0.01'
at_least "records of switches" "$(pt-script --show-switch-events t.data 2> /dev/null | grep -c PERF_RECORD_SWITCH)" 2

# No samples, but tasks and maps.
record -n -e cpu-clock -- "${burn[@]}"
equal "samples with -n" "$(pt-script t.data 2> /dev/null | wc -l)" 0
has "tasks with -n" "$(pt-script --show-task-events t.data 2> /dev/null)" "PERF_RECORD_COMM exec: sh"

# Long names, and clocks by their number.
sleep 100 & target=$!
pt_pids="$pt_pids $target"
record --pid $target --for 0.05 -e cpu-clock
has "--pid" "$(pt-script --show-task-events t.data 2> /dev/null)" "sleep"
record --tid $target --for 0.05 -e cpu-clock
kill $target
record --cpu 0 -e cpu-clock -- "${burn[@]}"
equal "CPUs of --cpu 0" "$(pt-script -F cpu t.data 2> /dev/null | tr -d ' ' | sort -u)" "[000]"
record -k 4 -e cpu-clock -- true
has "-k 4" "$(attr cpu-clock)" "clockid: 4"
runs 2 pt-record -k 12345 -- true 2> /dev/null

# It stops when enough was written, and what was written is whole.
timeout 100 pt-record -q --max-size 300K -F 20000 -g -a -o t.data -e cpu-clock -- sleep 1000 || true
at_least "size" "$(stat -c %s t.data)" 307200
at_most "size" "$(stat -c %s t.data)" 30000000
perf script -i t.data > perf.out 2> perf.err || fail "perf script: $(cat perf.err)"
at_least "samples" "$(pt-script -F comm t.data 2> /dev/null | grep -c .)" 100

# --dry-run leaves the file alone, and finds what is wrong.
echo kept > t.data
record --dry-run -e cpu-clock -- true
equal "file after --dry-run" "$(cat t.data)" kept
runs 2 pt-record --dry-run -o t.data -e cpu-clok -- true 2> /dev/null

# Flags are taken back; the hardware's branches are refused where there are none, with a reason.
record --no-inherit --inherit -e cpu-clock -- true
has "--no-inherit --inherit" "$(attr cpu-clock)" "inherit: 1"
record --all-user -v -T -P -R --no-data -e cpu-clock -- true 2> said
empty "what is said of options that are always so" said
pt-record -q --aio -e cpu-clock -o t.data -- true 2> said || fail "--aio"
equal "an option without effect" "$(cat said)" "pt-record: --aio: no effect: writes are ordinary ones"
runs 2 pt-record --off-cpu -o t.data -- true 2> said
has "a refused option" "$(cat said)" "--off-cpu: pt-stack --off-cpu"
runs 2 pt-record -b --call-graph lbr -o t.data -- true 2> said
has "-b and lbr" "$(cat said)" "one or the other"
