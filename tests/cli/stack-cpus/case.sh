# Recordings of other CPUs: arm64 with signed return addresses, 32-bit x86; through handlers of signals. With the vdso of the recorded machine, and without.
cd "$PT_DATA/stacks"
stacks() { pt-stack --symfs "$1" "$2" 2> /dev/null | grep -v '^#'; }
for cpu in arm64 i386; do
	echo "$cpu:"
	stacks $cpu $cpu.data
	mkdir -p "$TMPDIR/$cpu" && cp -r $cpu/tmp "$TMPDIR/$cpu/"
	echo "$cpu, without vdso:"
	stacks "$TMPDIR/$cpu" $cpu.data
done
echo "i386, call chains by frame pointer:"
stacks i386 i386-fp.data
echo "arm64, call chains by frame pointer and the link register: leaf() has no frame, middle() called it:"
stacks arm64-fp arm64-fp.data
pt-script --symfs arm64-fp -F ip,sym arm64-fp.data 2> /dev/null | grep -m 1 -B 1 -A 1 middle
echo "arm64, the first handler as perf script shows it:"
pt-script --symfs arm64 -F ip,sym,dso arm64.data | grep -m 1 -B 3 -A 3 __kernel_rt_sigreturn

echo "arm64, where few files may be open at first:"
(ulimit -S -n 6; stacks arm64 arm64.data) > "$TMPDIR/few"
stacks arm64 arm64.data | cmp - "$TMPDIR/few" && echo same
