# Uprobe hits as fast as they come, through the ring many times over: all recorded. (HITS=2000000 for more; each takes 17 us in a virtual machine.)
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/record.sh"
need_root; need_uprobes; need cc nm
hits=${HITS:-300000}
cat > up.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) void hit(long i) { __asm__ volatile("" :: "r"(i)); }
int main(int argc, char **argv) { long i, n = argc > 1 ? atol(argv[1]) : 0; for (i = 0; i < n; i++) hit(i); return 0; }
C
cc -O1 -o up up.c -static-pie 2> /dev/null || cc -O1 -o up up.c || skip "no static or other program can be linked"
# Offset of the function in the file: its address, less that of its segment, plus where that lies.
vaddr=$((0x$(nm up | awk '$3 == "hit" { print $1 }')))
off=
while read -r seg_off seg_addr seg_len; do
	[ $vaddr -ge $((seg_addr)) ] && [ $vaddr -lt $((seg_addr + seg_len)) ] && off=$((vaddr - seg_addr + seg_off))
done < <(readelf -lW up | awk '$1 == "LOAD" { print $2, $3, $5 }')
[ -n "$off" ] || fail "where is hit()?"
ev=pt_rec_$$
gone() { echo "-:$ev/hit" >> "$(tracefs)/uprobe_events"; }
printf 'p:%s/hit %s:0x%x\n' $ev "$PWD/up" $off >> "$(tracefs)/uprobe_events" || skip "this kernel makes no uprobe"
at_exit gone
pt-record -e $ev:hit -o up.data -- ./up "$hits" 2> err || fail "pt-record: $(cat err)"
equal samples "$(samples err)" "$hits"
equal "warnings" "$(grep -c '^pt-record:' err)" 0
equal "lines" "$(pt-script up.data | grep -c "$ev:hit")" "$hits"
