# What is chosen of a live session: --of-command the command and what it starts; --weight-by a field's sum.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need_root
need_events sched:sched_switch sched:sched_waking syscalls:sys_enter_write
cp "$(command -v sleep)" neighbour; cp neighbour grandchild
(while [ -e neighbour ]; do ./neighbour 0.01; done) & neighbour=$!
pt-schedlat -- sh -c 'sh -c "./grandchild 0.3; :"' > all 2> err || fail "pt-schedlat: $(cat err)"
pt-schedlat --of-command -- sh -c 'sh -c "./grandchild 0.3; :"' > own 2> err || fail "--of-command: $(cat err)"
[ -s all ]; has "all tasks" "$(cat all)" grandchild
has "the command's" "$(cat own)" grandchild
! grep -q neighbour own || fail "--of-command shows a neighbour: $(cat own)"
equal "names" "$(awk 'NR > 1 { sub(":.*", "", $NF); print $NF }' own | sort -u | tr '\n' ' ')" "TOTAL grandchild sh "
kill $neighbour

pt-stack -e syscalls:sys_enter_write --weight-by count -- dd if=/dev/zero of=/dev/null bs=1000 count=100 status=none > bytes 2> err || fail "--weight-by: $(cat err)"
equal "bytes written" "$(awk '!/^#/ { n += $NF } END { print n }' bytes)" 100000
pt-stack -e syscalls:sys_enter_write --weight-by nonsense -- dd if=/dev/zero of=/dev/null bs=1000 count=10 status=none > bytes 2> err || fail "--weight-by nonsense"
has "no such field" "$(cat err)" "no sample has a number named nonsense"
pt-stat -x, -o - --wide -I 100 -e task-clock,page-faults -- sleep 0.35 > wide || fail "--wide"
equal "columns" "$(head -1 wide)" "time,task-clock,page-faults,"
equal "fields a line" "$(awk -F, '{ print NF }' wide | sort -u)" 4
# A name that has a comma in it, alone and as one of two.
cp "$(command -v sleep)" 'a,b c'
pt-record -e sched:sched_switch -o comma.data -- sh -c '"./a,b c" 0.1; sleep 0.1' > /dev/null 2>&1 || fail "pt-record"
equal "--comm 'a,b c'" "$(pt-script --comm 'a,b c' -F comm comma.data | sed 's/^ *//; s/ *$//' | sort -u)" "a,b c"
equal "--comm sleep,sh" "$(pt-script --comm sleep,sh -F comm comma.data | sed 's/ //g' | sort -u | paste -sd' ')" "sh sleep"
