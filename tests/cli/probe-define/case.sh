# Definitions, as far as they do not depend on what the compiler makes of the code: names, groups, arguments by the calling convention, markers.
[ "$(uname -m)" = x86_64 ] || skip "registers of x86_64"
define() { echo "\$ $*"; pt-probe -n "$@" 2>&1 | sed "s|$PWD|DIR|; s|at 0x[0-9a-f]*|at ADDR|; s|:0x[0-9a-f]*|:OFF|; s|(0x[0-9a-f]*)|(SEM)|; s|@+0x[0-9a-f]*|@+AT|g"; }
cat > 'my-prog.1.c' <<'C'
#define NOTE(place, provider, name, sema, args) ".pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n" \
	"991: .asciz \"stapsdt\"\n992: .balign 4\n993: .8byte " place ", 0, " sema "\n.asciz \"" provider "\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n994: .balign 4\n.popsection\n"
__attribute__((section(".probes"), used)) volatile unsigned short semaphore;
int counter __attribute__((used));
__attribute__((noinline)) long work(long a, int b) { __asm__ volatile("one: nop\ntwo: nop\n"); return a + b; }
__attribute__((noinline)) long work_more(long a) { __asm__ volatile("three: nop\n"); return a; }
__asm__(NOTE("one", "prog", "step", "semaphore", "-4@%edi 8@-8(%rsp) 1@$7 -4@counter(%rip)"));
__asm__(NOTE("two", "prog", "step", "semaphore", "-4@%eax 8@%rbx 1@%al -4@8(%rax)"));
__asm__(NOTE("three", "prog", "step", "0", "4@%eax"));
__asm__(NOTE("three", "odd-prov", "e-v", "0", "8@(%rax,%rbx,8) 4@%ecx"));
int main(int argc, char **argv) { return (int)work(argc, 2) + (int)work_more(argc) + !argv; }
C
cc -O1 -no-pie -o my-prog.1 'my-prog.1.c' || skip "no compiler"
define -x ./my-prog.1 work
define -x ./my-prog.1 'work*'
define -x ./my-prog.1 'name=work'
define -x ./my-prog.1 'group:name=work+0' '$arg1:s64' 'b=%esi' '%rdi:x8[4]' '$stack1' 's=+0(%di):string' '$comm'
define -x ./my-prog.1 'work $arg1'
define -x ./my-prog.1 -a 'work $arg2:s32' -a work%return
define -x ./my-prog.1 work%return '$retval:s32'
define -x ./my-prog.1 sdt_prog:step
define -x ./my-prog.1 '%prog:step' arg1 'x=arg2:x64'
define -x ./my-prog.1 'mine=sdt_odd-prov:e-v'
define -x ./my-prog.1 'sdt_odd-prov:*'
define -x ./my-prog.1 sdt_prog:stop
define -x ./my-prog.1 sdt_prog:step arg9
cp my-prog.1 'a b'; define -x './a b' work | sed 's|b-[0-9a-f]*:|b-HASH:|'
echo '$ JSON'; pt-probe -x ./my-prog.1 -n work -j | sed "s|$PWD|DIR|; s|0x[0-9a-f]*|ADDR|g"
