# Options of perf record do in pt-record what they do in perf: seen in the attributes, records and files that come of them.
. "$PT_TOP/tests/lib.sh"
need_root; need_perf; need setpriv
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
record --all-user --all-kernel --no-all-kernel -e cpu-clock -- "${burn[@]}"
for flag in exclude_kernel exclude_hv; do has "--no-all-kernel after both" "$(attr cpu-clock)" "$flag: 1"; done
lacks "--no-all-kernel after both" "$(attr cpu-clock)" exclude_user

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

# Registers, of all and of some, as perf prints them.
record --intr-regs --user-regs=ax,IP -e cpu-clock -- "${burn[@]}"
has "--user-regs" "$(attr cpu-clock)" "sample_regs_user: 0x"
pt-script -F ip,iregs,uregs t.data > pt.out 2> pt.err || fail "pt-script: $(cat pt.err)"
at_least "samples with registers" "$(grep -c ABI: pt.out)" 1
same_file "registers by perf script and pt-script" <(perf script -F ip,iregs,uregs -i t.data 2> /dev/null) pt.out
runs 2 pt-record '-I?' -o t.data -- true 2> said
has "-I?" "$(cat said)" "the registers are "
runs 2 pt-record --user-regs=nosuch -o t.data -- true 2> said
has "an unknown register" "$(cat said)" "'nosuch' is no register"

# What each thread counted; the control group of each sample; waits with their stacks.
record -s -e cpu-clock -- sh -c "$(printf '%s\n' "${burn[2]}") ; $(printf 'sh -c "%s"' ':')"
at_least "threads that perf report -T shows" "$(perf report -T --stdio -s comm -i t.data 2> /dev/null | sed -n '/^#  *PID/,$p' | grep -c '^ *[0-9]')" 1
record --all-cgroups -a -e cpu-clock --for 0.1
at_least "groups" "$(pt-script --show-cgroup-events t.data 2> /dev/null | grep -c 'CGROUP cgroup: [1-9][0-9]* /')" 1
equal "groups of samples without a name" "$(perf report -s cgroup --stdio -i t.data 2> /dev/null | grep -c unknown)" 0
record --off-cpu -e cpu-clock -- sleep 0.2
at_least "microseconds that sleep waits" "$(pt-stack --off-cpu t.data 2> /dev/null | awk '/^sleep;.*schedule/ { n += $NF } END { print n + 0 }')" 200000

# perf archive finds what --buildid-cache kept.
export PERF_BUILDID_DIR=$PWD/cache
record --buildid-cache -g -e cpu-clock -- "${burn[@]}"
perf archive t.data > said 2>&1 || fail "perf archive: $(cat said)"
has "files in the archive" "$(tar tf t.data.tar.bz2 2>&1)" /elf
for id in $(perf buildid-list --with-hits -i t.data 2> /dev/null | awk '$2 ~ /^\// || $2 == "[kernel.kallsyms]" { print $1 }'); do
	[ -e cache/.build-id/${id:0:2}/${id:2}/elf ] || [ -e cache/.build-id/${id:0:2}/${id:2}/kallsyms ] || fail "$id is not in the cache"
done
cmp -s "$(command -v sh)" cache/"$(readlink -f "$(command -v sh)")"/*/elf || fail "sh is not what was kept of it"
unset PERF_BUILDID_DIR

# What a user runs.
setpriv --reuid=$nobody --clear-groups sleep 100 & target=$!
pt_pids="$pt_pids $target"
owned() { [ "$(stat -c %u /proc/$target)" = $nobody ]; }
until_true 60 owned || fail "setpriv does not change the user"
record -u $nobody --for 0.05 -e cpu-clock
has "-u" "$(pt-script --show-task-events t.data 2> /dev/null)" "sleep:$target/$target"
runs 2 pt-record -u $nobody -a -o t.data -e cpu-clock 2> said
has "-u and -a" "$(cat said)" "-u and -a: tasks or CPUs"
runs 2 pt-record -u no-such-user -o t.data 2> said
has "an unknown user" "$(cat said)" "there is no user 'no-such-user'"
kill $target

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
equal "an option without effect" "$(cat said)" "pt-record: --aio: no effect: the file is written without asynchronous I/O"
runs 2 pt-record --kcore -o t.data -- true 2> said
has "a refused option" "$(cat said)" "--kcore: recordings do not hold"
runs 2 pt-record -b --call-graph lbr -o t.data -- true 2> said
has "-b and lbr" "$(cat said)" "one or the other"
