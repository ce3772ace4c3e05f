# pt-script's names of data addresses and lines of source beside perf script's, on page faults of a program, byte for byte; the same in JSON.
# Of the program's own places: elsewhere perf 6.1 names entries of a PLT one off, and has offsets and ":0" where no line is known.
. "$PT_TOP/tests/lib.sh"
need gcc python3 addr2line
need_perf
cat > pf.c <<'C'
#include <stdlib.h>
#include <string.h>
char table[1 << 20], filled[1 << 16] = { 1 };
static inline __attribute__((always_inline)) void touch(char *p) { *(volatile char *)p = 1; }
static void __attribute__((noinline)) walk(char *p, int n) {
	for (int i = 0; i < n; i += 4096)
		touch(p + i); __asm__ volatile("");
}
static void __attribute__((noinline)) all(char *m) { walk(table, sizeof(table)); walk(filled, sizeof(filled)); walk(m, 1 << 20); __asm__ volatile(""); }
int main(void)
{
	char *m = malloc(1 << 20);
	all(m);
	return 0;
}
C
gcc -O2 -g -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -o pf pf.c || fail "gcc"
record() {	# see stack-script.sh: others' build-ids may make it unreadable
	local again
	for again in 1 2 3 4 5 6 7 8 9 10; do
		perf record -q -N -B --no-bpf-event -e page-faults:u -c 1 -d "$@" ./pf > record.out 2> record.err || fail "perf record: $(cat record.err)"
		{ perf script -i "$2" -F ip > aborted 2>&1; } 2> aborted && return
		sleep 1
	done
	fail "perf script -i $2: $(cat aborted)"
}
record -o flat.data
record -o chain.data -g
# same FILE FIELDS PATTERN LINES: the samples in which PATTERN is; lines of source behind what they are of
same() {
	perf script --no-inline -i $1.data -F "$2" 2> perf.err | joined | grep -E "$3" > want
	runs 0 pt-script --no-inline -F "$2" $1.data > text 2> err
	empty "messages" err
	joined < text | grep -E "$3" > got
	same_file "$1 $2" want got
	at_least "$1 $2: lines" "$(grep -c . want)" "$4"
}
joined() { awk '/^  [^ ]+$/ { printf "%s", $0; next } { if (NR > 1) print ""; printf "%s", $0 } END { print "" }'; }
same flat comm,addr,ip,sym,symoff,dso ' walk' 500
same flat addr,sym ' filled$' 15
same flat ip,sym,srcline ' walk' 500
same chain comm,addr,sym ' filled$' 15
same flat ip,sym,insn,insnlen ' walk' 500
# Lines of the source behind samples, where they change.
for f in flat chain; do
	perf script -i $f.data -F ip,srccode 2> perf.err | grep '^|' > want
	runs 0 pt-script -F ip,srccode $f.data 2> err | grep '^|' > got
	same_file "$f srccode" got want
	at_least "$f: lines of the source" "$(wc -l < want)" 1
done
# of call chains the address that is shown is the offset
runs 0 pt-script -F ip,sym,dsoff chain.data > got 2> err
at_least "offsets in files" "$(grep -c '/pf+0x' got)" 500
empty "other offsets" <(awk '/\/pf[+]0x/ && $0 !~ "/pf[+]0x" $1 "[)]$"' got)
# Bytes of records, and what they say, by their offsets: perf prints those without a time earlier. perf also has more lines of a sample, times (0) of records
# that have none, and the contents of CPU_MAP and READ.
raw() {
	sed -nE 's/^(0 )+0x/0x/; s/: unhandled!$//; s/(PERF_RECORD_(CPU_MAP|READ)).*/\1/; /^\.( |$)|^0x|^ ?\.\.\. (id|unit|scale|name): |^\.\.\. Time /p' |
		awk '/^0x[0-9a-f]+@/ { at = $1 } { print at, $0 }' | sort -s -k 1,1
}
pt-record -q --sched -g -o own.data -- ./pf || fail "pt-record"
for f in flat chain own; do
	perf script -i $f.data -D 2> perf.err | raw > want
	runs 0 pt-script --dump-raw-trace $f.data 2> err | raw > got
	same_file "$f bytes" got want
	at_least "$f: records" "$(grep -c 'raw event: size' got)" 100	# of own: the machine decides
	at_least "$f: records of perf's own" "$(grep -cE 'PERF_RECORD_(FINISHED_ROUND|FINISHED_INIT|EVENT_TYPE)$' got)" 2
done
runs 2 pt-script --dump-raw-trace -j flat.data 2> err
has "bytes and JSON" "$(cat err)" "--dump-raw-trace: not with -j"
at_least "variables" "$(pt-script -F addr,sym,symoff flat.data | grep -cE ' filled\+0x[0-9a-f]+$')" 8
runs 0 pt-script -F ip,sym,srcline chain.data > lines 2> err
call=$(grep -n 'all(m);' pf.c | cut -d: -f1) touch=$(grep -n 'static inline' pf.c | cut -d: -f1)
# its own line of an inlined function; of others that of the call (the leaf has no frame: its caller is not in the chain)
at_least "lines of inlined functions" "$(grep -A1 ' touch$' lines | grep -cx "  pf.c:$touch (inlined)")" 500
at_least "lines of the caller" "$(grep -A1 " main$" lines | grep -cx "  pf.c:$call")" 500
# JSON says the same
runs 0 pt-script -j -F +sym,+srcline chain.data > json 2> err
runs 0 pt-script -F addr,ip,sym,symoff,srcline chain.data > text 2> err
python3 - <<'P' > from-json || exit 1
import json
for line in open("json"):
    s = json.loads(line)
    print(" %16x" % int(s["addr"], 16), s["addr_sym"] + "+0x%x" % s["addr_symoff"] if "addr_sym" in s else "[unknown]")
    for x in s["stack"]:
        print(x["sym"] + "+0x%x" % x["symoff"] if "sym" in x else "[unknown]", "inlined" if "inlined" in x else "")
        if "file" in x:
            print("  %s:%d" % (x["file"].split("/")[-1], x["line"]))
P
awk '	# "(inlined)" stands at the end of the frame: behind its line of source where there is one
	function put() { if (frame != "") print frame, inlined; if (source != "") print source; frame = source = "" }
	/^$/ { next }
	/^\t/ { put(); frame = $2; inlined = $3 == "(inlined)" ? "inlined" : ""; next }
	/^  [^ ]+:[0-9]+( \(inlined\))?$/ { source = "  " $1; if ($2 != "") inlined = "inlined"; next }
	{ put(); printf " %16s %s\n", $1, $2 }
	END { put() }' text > from-text
same_file "JSON" from-json from-text

# Samples of some functions and files, as perf chooses them; the time of day; the group of what pt-record --all-cgroups records.
for how in "-S walk" "-S walk,all" "--dsos pf" "--dsos $PWD/pf -S walk" "-S nosuch" "--dsos nosuch.so" "-S 0x$(perf script -F ip,sym -i flat.data 2> /dev/null | awk '$2 == "walk" { print $1; exit }')"; do
	perf script -F ip,sym $how --no-inline -i flat.data > want 2> perf.err
	runs 0 pt-script -F ip,sym $how --no-inline flat.data > got 2> err
	same_file "$how" want got
done
at_least "samples of walk" "$(pt-script -S 'wal?' flat.data 2> err | grep -c .)" 500
equal "JSON of them" "$(pt-script -j -S walk flat.data 2> err | grep -c .)" "$(pt-script -S walk flat.data 2> err | grep -c .)"
runs 1 pt-script -F ip,tod flat.data > got 2> err
has "tod of a recording that has no clock" "$(cat err)" "does not tell the time of day"
pt-record -q -o tod.data -e page-faults:u -c 10 -- ./pf || fail "pt-record"
perf script -F comm,tod,time -i tod.data > want 2> perf.err
runs 0 pt-script -F comm,tod,time tod.data > got 2> err
same_file "tod" want got
pt-record -q -o group.data -e cpu-clock -a --all-cgroups --for 0.1 || fail "pt-record --all-cgroups"
equal "samples whose group has no name" "$(pt-script -F cgroup group.data 2> err | grep -vc '^ /')" 0
