# A trace.dat as trace-cmd report prints it and as pt-script does, event by event: "TID [CPU] TIME EVENT TEXT", and the lines of stacks. Sourced.
# theirs -N FILE: without trace-cmd's plugins, which have texts of their own.
theirs() {
	trace-cmd report -t "$@" 2> /dev/null | awk '
	/^=>/
	match($0, /-[0-9]+ +\[[0-9]+\] +[0-9.]+: [a-z_0-9A-Z]+:/) {
		split(substr($0, RSTART + 1), w, " +"); text = substr($0, RSTART + RLENGTH); gsub(/^ +| +$/, "", text)
		print w[1], w[2], w[3], w[4], text
	}'
}
ours() {
	pt-script --ns -F tid,cpu,time,event,trace "$@" | awk '
	/^=>/
	match($0, /: +[a-z_0-9A-Z]+:[a-z_0-9A-Z]+: ?/) {
		text = substr($0, RSTART + RLENGTH); name = $4; sub(/^[^:]*:/, "", name); gsub(/^ +| +$/, "", text)
		print $1, $2, $3, name, text
	}'
}
