# SDT markers of a program: once a name, arguments and places in the long forms.
cat > m.c <<'END'
#define MARK(provider, name, args, sem) __asm__( \
	".pushsection .note.stapsdt,\"\",%note\n.balign 4\n.4byte 8, 2f-1f, 3\n.asciz \"stapsdt\"\n" \
	"1: .8byte 0x1000, 0, " sem "\n.asciz \"" provider "\"\n.asciz \"" name "\"\n.asciz \"" args "\"\n2: .balign 4\n.popsection\n");
MARK("prog", "start", "-4@$1 8@$2", "0")
MARK("prog", "step", "", "0")
MARK("prog", "step", "", "0x4000")
MARK("other", "end", "-4@$3", "0")
int main(void) { return 0; }
END
cc -o m m.c || skip "no compiler"
echo '$ names'; pt-list -x ./m
echo '$ glob'; pt-list -x ./m 'sdt_prog:*'
echo '$ long'; pt-list -x ./m -l
echo '$ json'; pt-list -x ./m -j
echo '$ on PATH'; PATH=$PWD:$PATH pt-list -x m start
echo '$ none'; pt-list -x ./m nosuch; echo "status $?"
