# Tables, trees, differences and JSON of folded lines, whose figures are known; keys of recordings that need no names.
# variants: plain san
cat > prog.folded <<'F'
# samples 20, lost 0, truncated 1 (5.0 %), unresolved 2 of 60 frames (3.3 %)
prog;main;work;leaf 9
prog;main;work;leaf;mix_[i] 5
prog;main;rest;leaf 3
prog;main;do_syscall_64_[k];vfs_read_[k] 2
tool;main 1
F
pt-report prog.folded
echo "-- from a pipe"
pt-report -n --no-children < <(cat prog.folded)
echo "-- calls"
pt-report -g -S main prog.folded
pt-report -g caller,20,count -c prog -S 'wor?,vfs*' --percent-limit 0 prog.folded
pt-report --no-children -g callee,0.5,period -S leaf prog.folded
pt-report -G -S vfs_read prog.folded
pt-report --no-children --stdio -n -g folded,0,caller,count -s comm prog.folded
pt-report --no-children -g flat -S mix prog.folded
echo "-- columns"
pt-report -F sample,period,sym,overhead -t '|' prog.folded
pt-report -s sym,comm -c tool prog.folded
pt-report -s parent --parent '^work|^rest' prog.folded
echo "-- limit"
pt-report --percent-limit 20 prog.folded
echo "-- as JSON"
pt-report -j --percent-limit 50 prog.folded
printf 'a;<script>"\\;\033[0m 1\n' | pt-report -j
echo "-- differences"
sed 's/ 9$/ 900/; s/ 3$/ 200/' prog.folded > new.folded
pt-report --base prog.folded new.folded
pt-report --base prog.folded prog.folded -j | head -2
echo "-- recordings"
pt-report -s comm "$PT_DATA/dwarf.data" 2> /dev/null		# what has names depends on the machine
pt-report -s cpu,tid --no-children "$PT_DATA/fp.data" 2> /dev/null
pt-report "$PT_DATA/perf-sched.data" 2> /dev/null | sed -n '1,9p'
pt-report -s time --time-quantum 1s "$PT_DATA/fp.data" 2> /dev/null
echo "-- widths"
pt-report --no-children -w 10,0,4 -s sym,comm prog.folded
pt-report --no-children -w 9,6 -s comm,sym prog.folded
echo "-- hierarchy"
pt-report --hierarchy -n prog.folded
pt-report --hierarchy -s sym,comm -g --show-total-period --percent-limit 30 prog.folded
pt-report --hierarchy -j -c tool prog.folded
echo "-- group"
grouped() { pt-report --group --no-children -s comm "$@" groups.data 2> /dev/null; }
cp "$PT_DATA/group.data" groups.data
grouped; grouped -n -t,; grouped -j
echo "-- stats, tasks"
pt-report --stats "$PT_DATA/sched.data"; pt-report --tasks "$PT_DATA/sched.data"
pt-report --stats -j "$PT_DATA/fp.data"; pt-report --tasks -j "$PT_DATA/fp.data"
echo "-- latency"
pt-report --latency --no-children -s comm "$PT_DATA/side.data" 2> /dev/null
pt-report --latency --children -s comm "$PT_DATA/side.data" 2> /dev/null | grep Self
echo "-- counts that are no whole numbers"
printf 'a;b 1.5\na;c 2\n' | pt-report -F sample,sym -t,
echo "-- no stacks"
printf 'no stack\n# note\n\n' | pt-report; echo "status $?"
