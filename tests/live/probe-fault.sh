# A value that the kernel could not read is never shown as an older one: every tool says (fault) and leaves it out.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need_root; need_uprobes; need cc
name=ptf$$
at_exit gone
lacks() { case $2 in *"$3"*) fail "$1: $2" ;; esac; }
gone() { pt-probe -d "probe_$name:*" > /dev/null 2>&1; }
cat > $name.c <<'C'
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
struct row { int a, id; char *text; struct row *next; };
__attribute__((noinline)) void look(struct row *p) { __asm__ volatile("" :: "r"(p) : "memory"); }
__attribute__((noinline)) void page(struct row *p) { __asm__ volatile("" :: "r"(p) : "memory"); }
int main(int argc, char **argv)
{
	struct row good = { 1, 333, "text", &good }, no_next = { 2, -4, (char *)8, (struct row *)16 };
	char *two = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *file = mmap(0, 4096, PROT_READ, MAP_SHARED, open(argv[argc - 1], O_RDONLY), 0);

	volatile char sum = 0;

	mprotect(two + 4096, 4096, PROT_NONE);
	for (int i = 0; i < 4; i++) {
		look(&good);
		look(0);				/* nothing can be read */
		look(&no_next);				/* a text and a next that cannot be read */
		look((struct row *)(two + 4096 - 8));	/* a and id are there; the pointers to the rest are on a page that is not */
		look((struct row *)(two + 4096 - 6));
		page((struct row *)(two + 4096 - 8));
		page((struct row *)(two + 4096 - 6));	/* id lies on both pages */
	}
	look((struct row *)file);			/* a page that nobody has touched */
	sum += *file;
	look((struct row *)file);			/* touched */
	madvise(file, 4096, MADV_DONTNEED);
	look((struct row *)file);			/* evicted */
	return 0;
}
C
cc -O1 -g -o $name $name.c 2> err || skip "no program can be built: $(head -3 err)"
{ printf '\1\0\0\0\7\0\0\0'; head -c 4088 /dev/zero; } > page

ev=$(pt-probe -x ./$name look 'p->id' 'p->next->a' 't=p->text:string' 'all=+0(%di):s32[2]' 'far=+0(%di):x8[64]')
has "the guards are part of the definition" "$(pt-probe -D -x ./$name x=look 'p->id')" "__ok_id=+7(%di):string"
lacks "-l hides them" "$(pt-probe -l "$ev")" __ok_
has "-l shows the arguments" "$(pt-probe -l "$ev")" "id=+4(%di):s32"
lacks "pt-list hides them" "$(pt-list -v "$ev" 2>&1; pt-list -j "$ev")" '"__ok_'
runs 0 pt-record -q -e "$ev" -o rec ./$name page 2> err
shown() { sed 's/.*look: ([0-9a-f]*) //; s/ far={[^}]*}/ far/; s/ far=(fault)/ far-fault/' "$@"; }
cat > want <<'E'
id=333 a=1 t="text" all={1,333} far
id=(fault) a=(fault) t=(fault) all=(fault) far-fault
id=-4 a=(fault) t=(fault) all={2,-4} far
id=0 a=(fault) t=(fault) all={0,0} far-fault
id=(fault) a=(fault) t=(fault) all=(fault) far-fault
E
# The kernel brings in pages that are not there for a uprobe: they do not fault.
page='id=7 a=(fault) t=(fault) all={1,7} far'
{ cat want want want want; printf '%s\n' "$page" "$page" "$page"; } > all
pt-script -i rec 2> err | shown > got
cmp -s all got || { diff all got; fail "text of a recording"; }
pt-script -e "$ev" -- ./$name page 2> err | shown > got
cmp -s all got || { diff all got; fail "text of a live session"; }
pt-probe -x ./$name look 'p->id' 'p->next->a' 't=p->text:string' 'all=+0(%di):s32[2]' 'far=+0(%di):x8[64]' -- ./$name page 2> err | shown > got
cmp -s all got || { diff all got; fail "text of a command's hits"; }
pt-script -i rec -j 2> err | jq -c '.fields | [.id, .a, .t, .all] | tostring' | sort | uniq -c | sed 's/^ *//' > got
has "JSON" "$(cat got)" '8 "[\"(fault)\",\"(fault)\",\"(fault)\",\"(fault)\"]"'
has "JSON" "$(cat got)" '4 "[333,1,\"text\",[1,333]]"'
equal "no guard in JSON" "$(pt-script -i rec -j 2> err | grep -c '__ok_')" 0

# Keys: 8 of 21 have no id. Without the guards they would be the key of the hit before.
runs 0 pt-lat -i rec --from "$ev" --to "$ev" --key id -j > out 2> err
has "keys that were not read" "$(cat err)" "8 samples left out: the kernel could not read the key"
# Filters: the kernel compares the older value, so that without a second look more pass than the four good ones.
for filter in 'id == 333' 'id != 5 && id > 0'; do
	equal "hits with $filter" "$(pt-script -e "$ev" --filter "$filter" -- ./$name page 2> err | grep -c id=333)" 4
	equal "faulted hits with $filter" "$(pt-script -e "$ev" --filter "$filter" -- ./$name page 2> err | grep -c 'id=(fault)')" 0
done
runs 2 pt-stat -e "$ev" --filter 'id == 333' -x, -o counts ./$name page 2> err
has "a filter that would count older values" "$(cat err)" "id is read through a pointer"
runs 0 pt-record -q -e "$ev" --filter 'id == 333' -o filtered ./$name page 2> err
has "a recorder is told to see older values" "$(cat err)" "id is read through a pointer"
pt-probe -d "$ev"
printf '%s\n' 'id=0 all={0,0} far-fault' 'id=(fault) all=(fault) far-fault' > want
pt-probe -x ./$name page 'p->id' 'all=+0(%di):s32[2]' 'far=+0(%di):x8[64]' -- ./$name page 2> err |
	sed 's/.*page: ([0-9a-f]*) //; s/ far={[^}]*}/ far/; s/ far=(fault)/ far-fault/' > got
{ cat want want want want; } > all
cmp -s all got || { diff all got; fail "values at a page's end"; }

# A function of 70 pointers: with its guards more than the kernel takes.
many=$(for i in $(seq 70); do echo "a$i=+$((i * 4))(%di):s32"; done)
# shellcheck disable=SC2086
runs 1 pt-probe -n -x ./$name look $many 2> err
has "too many" "$(cat err)" "70 arguments are too many"
