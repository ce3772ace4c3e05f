# Call chains through code without frame pointers are counted, and the cure is named; the cure cures.
. "$PT_TOP/tests/lib.sh"
need cc
[ "$(uname -m)" = x86_64 ] || skip "the program is of x86-64"
cat > p.c <<'C'
static unsigned long data[2] = { 0, 0x123456 };	/* as a frame: none above it, a return address where nothing is */
__attribute__((noinline)) static void burn(long n)
{
	__asm__ volatile("push %%rbp; mov %1, %%rbp; 1: dec %0; jnz 1b; pop %%rbp" : "+r"(n) : "r"(data) : "memory", "cc");
}
__attribute__((noinline)) static void work(long n) { burn(n); __asm__ volatile(""); }
int main(void) { work(600000000); return 0; }
C
cc -O1 -fno-omit-frame-pointer -mno-red-zone -o p p.c 2> err || skip "no program can be built: $(head -3 err)"
pt-record -q -e cpu-clock:u -F 999 --call-graph fp -o fp.data -- ./p || fail "pt-record"
for tool in pt-report pt-stack; do
	$tool fp.data > out 2> err || fail "$tool: $(cat err)"
	has "$tool's note" "$(cat err)" "stacks have callers where nothing is mapped"
	has "$tool's advice" "$(cat err)" "record with --call-graph dwarf"
done
pt-record -q -e cpu-clock:u -F 999 -g --call-graph dwarf -o dwarf.data -- ./p || fail "pt-record with the cure"
pt-report dwarf.data > out 2> err || fail "pt-report: $(cat err)"
! grep -q 'nothing is mapped:' err || fail "still: $(cat err)"
