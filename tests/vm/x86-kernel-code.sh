# Code of a kernel that runs: from its /proc/kcore, instructions and samples of each as perf annotate has them there. (Not all kernels have that file.)
. "$PT_TOP/tests/lib.sh"
need qemu-system-x86_64 cpio readelf python3 objdump
[ "$(uname -m)" = x86_64 ] || skip "the tools built here do not run on x86_64"
machine=$PT_TOP/tests/vm/machine
"$machine/mk" x86_64 "$B/vm" > mk.log 2>&1 || { tail -5 mk.log; fail "cannot make the machine"; }
mkdir -p t/bin t/lib
cp "$PT_BIN"/pt-* t/bin/
# objdump, and those of its libraries that are not there
cp -L "$(command -v objdump)" t/lib/
ldd "$(command -v objdump)" | sed -nE 's/.* => ([^ ]*lib(opcodes|bfd|ctf|sframe|jansson)[^ ]*) .*/\1/p' | xargs -I{} cp -L {} t/lib/
printf '#!/bin/sh\nLD_LIBRARY_PATH=/t/lib exec /t/lib/objdump "$@"\n' > t/bin/objdump
chmod +x t/bin/objdump
cat > t/test.sh <<'T'
PATH=/t/bin:$PATH; cd /tmp/out
die() { echo "FAILED: $*"; exit 1; }
objdump --version > /dev/null || die "objdump does not run"
perf record -q -F 999 -o k.data -- dd if=/dev/zero of=/dev/null bs=64k count=30000 2> dd.err || die "perf record: $(cat dd.err)"
pt-report --no-children -F sample,sym -t '|' k.data 2> report.err | sed -n 's/^\([0-9]*\)|\[k\] \([a-z_0-9]*\)$/\2 \1/p' | head -4 > hot
cat hot
[ -s hot ] || die "no function of the kernel: $(cat report.err)"
while read -r f n; do
	perf annotate -i k.data --stdio -n -s "$f" 2> $f.perf.err | sed -nE 's/^ *([0-9]+) : +([0-9a-f]+):.*/\2 \1/p' > $f.perf
	pt-annotate -i k.data -n --no-source "$f" > $f.text 2> $f.err || die "pt-annotate $f: $(cat $f.err)"
	sed -nE 's/^ *([0-9]+) : +([0-9a-f]+):.*/\2 \1/p' $f.text > $f.pt
	[ "$(awk '{ s += $2 } END { print s }' $f.pt)" = "$n" ] || die "$f: $n samples, not those of $(cat $f.text)"
	[ -s $f.perf ] || { echo "perf does not annotate $f: $(cat $f.perf.err)"; continue; }
	# perf leaves out nops at the end
	head -$(wc -l < $f.perf) $f.pt | cmp - $f.perf || die "$f: others than perf annotate's: $(diff $f.perf $f.pt | head)"
	echo "$f: $(wc -l < $f.perf) instructions and $n samples as perf annotate has them"
done < hot > said
cat said
exit 0
T
"$machine/run" x86_64 "$B/vm" t out || { tail -30 out/console.log; fail "the machine ended with status $?"; }
cat out/said
at_least "functions as perf has them" "$(grep -c 'as perf annotate has them' out/said)" 1
