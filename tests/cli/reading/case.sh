# Each small recording, every field of every record.
for f in sched stream zstd threads fp dwarf regs side group stat; do
	echo "== $f"
	dump "$PT_DATA/$f.data" || exit
done
echo "== stream, from a pipe, a byte at a time"
dd if="$PT_DATA/stream.data" bs=1 2> /dev/null | dump - | cmp - <(dump "$PT_DATA/stream.data") && echo same
