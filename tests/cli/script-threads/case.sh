# In two threads and in one: the same text, the same messages, the same status; of whole recordings and damaged ones; when the disk is full.
both() {
	pt-script "$@" > two 2> two.err; echo "status $?" >> two.err
	PT_THREADS=1 pt-script "$@" > one 2> one.err; echo "status $?" >> one.err
	equal "text of $*" "$(cat two)" "$(cat one)"
	equal "messages of $*" "$(cat two.err)" "$(cat one.err)"
}
for d in "$PT_DATA"/*.data "$PT_DATA"/*.stream; do both "$d"; done
d=$PT_DATA/dwarf.data
both --no-inline "$d"
both -F +srcline "$d"
both -F comm,ip,sym,dso "$d"
both --show-task-events --show-mmap-events --header "$d"
both --hide-call-graph -F comm,tid,ip,sym "$d"
both -j "$d"
head -c $(($(stat -c %s "$d") * 2 / 3)) "$d" > cut.data
both cut.data
for threads in 1 2; do
	PT_THREADS=$threads pt-script "$d" > /dev/full; echo "full $?"
done 2>&1 | sort | uniq -c
