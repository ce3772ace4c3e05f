# Recordings of other CPUs: arm64 with signed return addresses, 32-bit x86; through handlers of signals. With the vdso of the recorded machine, and without.
cd "$PT_DATA/stacks"
for cpu in arm64 i386; do
	echo "$cpu:"
	pt-stack --symfs $cpu $cpu.data
	mkdir -p "$TMPDIR/$cpu" && cp -r $cpu/tmp "$TMPDIR/$cpu/"
	echo "$cpu, without vdso:"
	pt-stack --symfs "$TMPDIR/$cpu" $cpu.data
done
echo "i386, call chains by frame pointer:"
pt-stack --symfs i386 i386-fp.data
echo "arm64, the first stacks as perf script shows them:"
pt-script --symfs arm64 -F ip,sym,dso arm64.data | grep -m 1 -B 3 -A 6 __kernel_rt_sigreturn
