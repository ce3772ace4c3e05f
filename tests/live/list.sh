# pt-list as another user, with probes that come and go, and a breakpoint that a name of it leads to.
. "$PT_TOP/tests/lib.sh"
# variants: plain san
need_root
need jq
need_uprobes
cat > bp.c <<'END'
#include <stdio.h>
#include <stdlib.h>
volatile long counter;
int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : -1;

	if (n < 0)
		printf("%p\n", (void *)&counter);
	for (; n > 0; n--)
		counter = n;
	return 0;
}
END
cc -O1 -g -no-pie -fno-pie -o bp bp.c || skip "no compiler for a program at a fixed address"
addr=$(./bp)

# A probe is one while it is there: its definition, and that it opens.
group=pt_list_$$
# File offset of main: its address less the segment's, and where that lies in the file.
at=$(readelf -lW bp | awk -v main="$(nm bp | awk '$3 == "main" { print $1 }')" '
	function hex(s,  i, v) { s = tolower(s); sub(/^0x/, "", s); for (i = 1; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1; return v }
	$1 == "LOAD" && / R E / { printf "0x%x\n", hex(main) - hex($3) + hex($2) }')
remove() { echo "-:$group/entry" >> "$(tracefs)/uprobe_events" 2> /dev/null; }
at_exit remove
echo "p:$group/entry $PWD/bp:$at" >> "$(tracefs)/uprobe_events" || skip "the kernel takes no uprobe here"
equal "probe" "$(pt-list "$group:*")" "$group:entry"
pt-list -j probe "$group:*" > p.json || fail "probes"
equal "kind" "$(jq -r .kind p.json)" probe
equal "opens" "$(jq -r .opens p.json)" true
has "definition" "$(jq -r .definition p.json)" "$PWD/bp:"
equal "no tracepoint" "$(pt-list tracepoint "$group:*" 2> /dev/null)" ""
pt-stat -x, -o count -e "$(pt-list "$group")" ./bp 0 > /dev/null || fail "pt-stat of a probe"
equal "probe's count" "$(grep entry count | cut -d, -f1)" 1
remove
equal "gone" "$(pt-list "$group:*" 2>&1)" "pt-list: no such events"

# A breakpoint: counted, sampled, and beside perf. Some virtual machines open breakpoints that never fire.
fires() { perf stat -x, -e "mem:$addr/8:w:u" ./bp 5 2>&1 | grep -q '^5,'; }
if [ "$(pt-list -j mem breakpoint | jq -r .opens)" != true ]; then
	echo "left out: breakpoints, which this machine does not open"
elif command -v perf > /dev/null && ! fires; then
	echo "left out: breakpoints, which never fire here for perf either"
else
	pt-stat -x, -o count -e "mem:$addr/8:w:u" ./bp 1234 || fail "pt-stat of a breakpoint"
	equal "breakpoint's count" "$(grep ':w:u' count | cut -d, -f1)" 1234
	pt-record -q -o bp.data -e "mem:$addr/8:w:u" ./bp 1000 || fail "pt-record of a breakpoint"
	equal "samples" "$(pt-script bp.data | grep -c 'main+0x')" 1000
	# The kernel begins a period anew when the program loses its CPU in the midst of one (perf record has a sample less then, too): in some run it does not.
	for try in 1 2 3 4 5 6 7 8; do
		nr=$(pt-script -c 10 -e "mem:$addr/8:w:u" -- ./bp 1000 2> /dev/null | grep -c 'main+0x')
		at_most "samples of every tenth" "$nr" 100
		at_least "samples of every tenth" "$nr" 90
		[ "$nr" != 100 ] || break
	done
	equal "samples of every tenth, once in $try tries" "$nr" 100
fi

# An ordinary user who may not see tracepoints: told so, and the rest is listed.
if [ "$(stat -c %a "$(tracefs)")" = 700 ]; then
	cp "$PT_BIN/pt-list" . && chmod 755 pt-list . 
	runs 0 as_nobody ./pt-list > names 2> said
	has "message" "$(cat said)" "tracepoints and probes cannot be listed"
	has "the advice" "$(cat said)" "as root let your group in: \`mount -o remount,mode=0750,gid=$nobody"
	grep -qx cpu-clock names || fail "no cpu-clock for nobody"
	! grep -q : names || fail "tracepoints for nobody: $(grep -m1 : names)"
	runs 1 as_nobody ./pt-list 'sched:*' > names 2> said
	empty "names" names
fi
