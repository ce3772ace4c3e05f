# pt-script's named stacks beside perf script's, byte for byte: frame pointers, DWARF stack copies, and samples without a call chain.
#
# Known differences, counted and left out:
# - `@plt+0x...`: perf has no names for entries whose relocations have no symbol (IRELATIVE); pt-script has NAME@plt or *ABS*+0xN@plt.
# - frames behind a call that is its function's last instruction: perf looks frame-pointer chains up at the return address, which is the next
#   function's; pt-script looks one byte before it.
# - stacks through the dynamic linker (start and exit): perf's unwinder loses its way there, and what it shows behind that is not of the stack.
#   Any other stack of pt-script's may be longer than perf's, never another one.
# Programs here are not exec'd through a shell: perf 6.1 keeps the shell's maps then.
. "$PT_TOP/tests/lib.sh"
need_perf
need gcc g++ python3
cat > prog.cc <<'C'
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>
volatile unsigned sink;
namespace deep {
template <typename T> struct holder {
	T v;
	__attribute__((noinline)) unsigned work(unsigned n) { for (unsigned i = 0; i < 400; i++) n = n * 1664525 + sink; return n + (unsigned)v; }
	unsigned both(unsigned n) { return work(n) + work(n + 1); }
};
}
static unsigned __attribute__((noinline)) recurse(unsigned n) { deep::holder<long> h{3}; unsigned x = n ? recurse(n - 1) : h.both(n); __asm__ volatile("" : "+r"(x)); return x + 1; }
static void on_signal(int s) { sink = sink + recurse((unsigned)s % 8); }
static int compare(const void *a, const void *b) { unsigned x = *(const unsigned *)a, y = *(const unsigned *)b; sink = sink + 1; return (x > y) - (x < y); }
int main(int, char **argv)
{
	std::map<unsigned, std::string> m;
	std::vector<unsigned> v(20000);
	signal(SIGUSR1, on_signal);
	for (int r = atoi(argv[1]); r > 0; r--) {
		for (unsigned i = 0; i < v.size(); i++) v[i] = i * 2654435761u + (unsigned)r;
		qsort(v.data(), v.size(), sizeof(v[0]), compare);
		for (unsigned i = 0; i < v.size(); i++) v[i] *= 2654435761u;
		std::sort(v.begin(), v.end(), [](unsigned a, unsigned b) { sink = sink + 1; return a < b; });
		for (unsigned i = 0; i < 600; i++) { m[v[i * 7] % 997] += "x"; sink = sink + recurse(i % 9); }
		raise(SIGUSR1);
	}
	printf("%u %zu\n", (unsigned)sink, m.size());
}
C
g++ -O2 -g -Wl,--build-id -o dw prog.cc || fail "g++"
g++ -O2 -g -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -o fp prog.cc || fail "g++"
cat > compare.py <<'P'
# compare.py WANT GOT: how many lines, how many differ, less the known ones
import sys
def stacks(path):
    out, now = [], []
    for line in open(path, errors="replace"):
        line = line.replace(" __ia32_sys_", " __x64_sys_")	# two names of one function
        if line == "\n":
            out.append(now); now = []
        else:
            now.append(line)
    return out + [now] if out and now else out or [[x] for x in now]	# samples without call chains: a line each
want, got = stacks(sys.argv[1]), stacks(sys.argv[2])
lines = bad = known = longer = 0
ips = set(open(sys.argv[3]).read().split())	# of known differences, found in lines with offsets
shown = []
for w, g in zip(want, got):
    lines += len(w)
    if len(g) > len(w) and g[:len(w)] == w or any("/ld-linux" in x for x in g):
        longer += 1
        continue
    for i in range(max(len(w), len(g))):
        a, b = w[i] if i < len(w) else "", g[i] if i < len(g) else ""
        if a != b:
            same_ip = a.startswith("\t") and b.startswith("\t") and a.split()[0] == b.split()[0]
            if " @plt" in a and "@plt" in b and a.split()[0] == b.split()[0]:
                known += 1
            elif " __restore_rt+0x0 (" in b and a.startswith("\t") and int(a.split()[0], 16) + 1 == int(b.split()[0], 16):
                known += 1	# where a handler of a signal returns to, perf looks a byte in front of the trampoline
            elif same_ip and ("+0x0 (" in a or a.split()[0] in ips):
                known += 1
                ips.add(a.split()[0])
            else:
                bad += 1
                shown.append(f"  perf: {a!r}\n  pt:   {b!r}")
print(f"{lines} lines, {bad} differ, {known} known differences, {longer} stacks longer than perf's")
print("\n".join(shown[:10]))
open(sys.argv[3], "w").write("\n".join(ips))
sys.exit(len(want) != len(got) or bad * 1000 > lines or known * 20 > lines or lines < 200 or longer * 10 > len(want))
P
# Whoever asks for build-ids in mappings gets them into everybody's recordings, and perf 6.1 aborts over those: record again.
record() {
	local again
	for again in 1 2 3 4 5 6 7 8 9 10; do
		perf record -q -N -B --no-bpf-event "$@" > /dev/null 2> record.err || fail "perf record: $(cat record.err)"
		{ perf script -i "$kind.data" -F ip > /dev/null 2>&1; } 2> aborted && return
		sleep 1
	done
	fail "perf script -i $kind.data: $(cat aborted)"
}
kind=dw; record -F 999 --call-graph=dwarf,16384 -o dw.data ./dw 60
kind=fp; record -F 1999 -g -o fp.data ./fp 60
kind=flat; record -F 1999 -o flat.data ./fp 60
for kind in dw fp flat; do
	: > known
	for fields in "" "-F comm,tid,time,event,ip,sym,dso"; do
		perf script --no-inline $fields -i $kind.data > want 2> /dev/null
		runs 0 pt-script --no-inline $fields $kind.data > got 2> err
		python3 compare.py want got known > diff || fail "$kind $fields: $(cat diff err)"
		echo "$kind $fields: $(cat diff)"
	done
done
# Inlined frames, in perf's layout; the outermost frame stays the function's own.
runs 0 pt-script dw.data > inlines 2> err
at_least "inlined frames" "$(grep -cE '^	 +[0-9a-f]+ deep::holder<long>::both\+0x[0-9a-f]+ \(inlined\)$' inlines)" 1
equal "both() is recurse()'s" "$(grep -A1 -E 'holder<long>::both.*inlined' inlines | grep -vE 'both|^--' | grep -vc ' recurse+0x')" 0
# The kept index: the first look is the second one is the one without, also with each kept file damaged, and where nothing can be kept.
rm -rf "$XDG_CACHE_HOME/pt"
runs 0 pt-script dw.data > first 2> err
at_least "kept files" "$(ls "$XDG_CACHE_HOME/pt" | grep -c '^inl-')" 1
ls -l --time-style=full-iso "$XDG_CACHE_HOME/pt" > kept
runs 0 pt-script dw.data > second 2> err
ls -l --time-style=full-iso "$XDG_CACHE_HOME/pt" > kept.again
same_file "kept files after the second look" kept.again kept
PT_CACHE=off runs 0 pt-script dw.data > without 2> err
for f in "$XDG_CACHE_HOME"/pt/*; do printf 'damage' | dd of="$f" bs=1 seek=$(($(stat -c %s "$f") / 2)) conv=notrunc status=none; done
runs 0 pt-script dw.data > damaged 2> err
rm -rf "$XDG_CACHE_HOME/pt"; : > "$XDG_CACHE_HOME/pt"
runs 0 pt-script dw.data > nowhere 2> err
rm "$XDG_CACHE_HOME/pt"
for look in first second without damaged nowhere; do same_file "inlined functions, look: $look" $look inlines; done
# Without names wanted, none are looked up and addresses stay as they were captured.
at_least "captured addresses of user code" "$(pt-script -F ip fp.data | grep -cE "^	 +[57][0-9a-f]{11}$")" 100
# --symfs: files of another tree are taken by path, where the recording has no build-ids.
runs 0 pt-script --no-inline dw.data > before 2> err
mkdir -p "root$PWD"; mv dw "root$PWD/dw"
runs 0 pt-script --no-inline dw.data > gone 2> err
equal "names from a program that is gone" "$(grep -c 'recurse.*/dw)' gone)" 0
at_least "frames of a program that is gone" "$(grep -c '\[unknown\] (.*/dw)' gone)" 1
runs 0 pt-script --no-inline --symfs root dw.data > symfs 2> err
same_file "names from --symfs" symfs before
# --kallsyms: the kernel's names come from there.
ip=$(pt-script -F comm,ip --no-inline flat.data | awk '$2 ~ /^ffff/ { print $2; exit }')
if [ -n "$ip" ]; then
	echo "${ip%???}000 T named_by_file" > syms
	runs 0 pt-script -F comm,ip,sym --kallsyms syms flat.data > named 2> err
	at_least "names from --kallsyms" "$(grep -c "$ip named_by_file" named)" 1
fi
