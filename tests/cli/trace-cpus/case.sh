# Recordings of other CPUs: names, numbers, order of arguments, byte order and words are theirs.
for cpu in aarch64 s390x i686; do
	calls "$cpu" "$cpu.data"
	echo "$cpu:"
	pt-trace -n -T "$cpu.data"
done
pt-trace -c i686.data | awk '$NF == "(32-bit)" { print $(NF - 1), $4, $5 }' | sort
pt-trace -j -e clone i686.data
pt-trace -e clone,%file s390x.data
