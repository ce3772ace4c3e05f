# A stream: from a pipe, from a file, by a slow writer; the first Ctrl-C is the writer's.
d=$PT_DATA/perf-syscalls.stream
pt-script "$d" > file
sed -n 1,3p file
cat "$d" | pt-script > pipe; same_file "from a pipe" pipe file
pt-script - < "$d" > stdin; same_file "from standard input" stdin file
pt-script < "$d" > bare; same_file "without an operand" bare file
{ head -c 1000 "$d"; sleep 0.2; tail -c +1001 "$d"; } | pt-script > slow; same_file "by a slow writer" slow file
echo other > perf.data
cat "$d" | pt-script > stale; same_file "beside another perf.data" stale file
