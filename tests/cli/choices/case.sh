# Choices that leave nothing say what there is; names may be patterns; --of-command needs a command.
try() { echo "-- $*"; "$@" 2>&1 > /dev/null | grep -e choose -e of-command; echo "status ${PIPESTATUS[0]}"; }
cp "$PT_DATA"/sched.data "$PT_DATA"/lat-block.data "$PT_DATA"/fp.data .
for tool in 'pt-script' 'pt-report' 'pt-stack' 'pt-annotate' 'pt-top --text'; do
	try $tool --comm nope fp.data
done
for tool in pt-schedlat pt-schedmap pt-timehist pt-timechart 'pt-lat --sched' 'pt-script'; do
	try $tool --comm nope sched.data
done
try pt-lat --pid 99999 lat-block.data
try pt-heatmap --pid 99999 lat-block.data
try pt-script --tid 99999 sched.data
try pt-script --cpu 7 sched.data
try pt-script --cpu 0 fp.data
try pt-report --cpu 0 --comm nope fp.data
try pt-script --time 1,2 sched.data
try pt-script --comm nope --cpu 7 sched.data
try pt-convert --to speedscope --comm nope fp.data
try pt-lat --op nope lat-block.data
try pt-heatmap --op nope lat-block.data
try pt-lat --filter 'nr_sector > 4000000' lat-block.data
try pt-stack --only nope fp.data
try pt-convert --to speedscope --only nope fp.data
try pt-report --symbols nope fp.data
try pt-report --dsos nope fp.data
try pt-report --comms nope fp.data
try pt-script --symbols nope fp.data
try pt-script --dsos nope fp.data
try pt-annotate --dso nope fp.data
try pt-timehist --time 1,2 sched.data
try pt-timechart --time 1,2 sched.data
try pt-schedmap --filter 'prev_pid == 1' sched.data
try pt-lat --min 10s lat-block.data
try pt-lat --max 10ns --hist lat-block.data
pt-script -F comm,ip,sym fp.data 2> /dev/null | pt-fold > folded
try pt-fold --root nope folded
echo "-- patterns"
pt-stack --plain --only 'cpu*' fp.data 2> /dev/null | grep -c .
pt-script -F comm --comm 's[a-h]*,?leep' sched.data | sort | uniq -c | awk '{ print $2 }'
try pt-schedlat --of-command sched.data
try pt-schedlat --of-command -a
