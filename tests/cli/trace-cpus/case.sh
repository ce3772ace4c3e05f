# Recordings of other CPUs: names, numbers, order of arguments, byte order and words are theirs.
for cpu in aarch64 s390x i686; do
	calls "$cpu" "$cpu.data"
	echo "$cpu:"
	pt-trace -n -T "$cpu.data"
done
pt-trace -c i686.data | awk '$NF == "(32-bit)" { print $(NF - 1), $4, $5 }' | sort
pt-trace -j -e clone i686.data
pt-trace -e clone,%file s390x.data
# Names that are not of this machine, and such as are not of the recording's.
pt-trace -e s390_sthyi s390x.data
for call in s390_sthyi mmap2 nosuch; do
	pt-trace -e "$call" aarch64.data 2>&1 | head -1
done
# A choice that nothing passes; calls that have not returned have lasted until the end.
pt-trace -T --errno EIO i686.data 2>&1
pt-trace --duration 1h i686.data 2>&1
