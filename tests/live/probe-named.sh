# A program's debug information names other files: pt-probe asks libdw for variables without libdw opening what is named.
. "$PT_TOP/tests/lib.sh"
need gcc strace
export PT_CACHE=off
name=split_unit_of_a_program_whose_name_is_long_enough_for_a_path
pipe=/tmp/pt-named.$$; mkfifo $pipe; at_exit remove_pipe; remove_pipe() { rm -f "$pipe"; }
# names FROM FILE TO TARGET: FILE with another name in it
names() {
	local new=$4
	while [ ${#new} -lt ${#1} ]; do new=/$new; done
	[ ${#new} = ${#1} ] || skip "$4 is too long a path"
	sed "s|$1|$new|g" "$2" > "$3"; chmod 755 "$3"
	cmp -s "$2" "$3" && fail "$2 does not name $1"; :
}
# asks PROGRAM TARGET: nothing is opened but for a handle, and it ends
asks() {
	timeout 60 strace -f -y -e trace=open,openat,openat2 -o opened.log pt-probe -x ./"$1" -V main > out 2> err
	[ $? != 124 ] || fail "pt-probe waits for $2"
	grep -q "$2" opened.log || fail "$2 was not asked for"
	grep "$2" opened.log | grep -v O_PATH && fail "$2 was opened"; :
}
for version in 4 5; do
	cat > $name.c <<'C'
volatile long n;
struct s { int a; short b[3]; } x;
int main(int argc, char **argv) { struct s *p = &x; n += argc + p->a + argv[0][0]; return p->b[1]; }
C
	gcc -O1 -gdwarf-$version -gsplit-dwarf -c -o $name.o $name.c && gcc -o split $name.o || skip "no split debug information"
	pt-probe -x ./split -V main > genuine 2>&1; has "the genuine file" "$(cat genuine)" "argc"
	rm $name.dwo
	for target in $pipe /dev/ptmx; do names $name.dwo split evil $target; asks evil $target; done
done
command -v dwz > /dev/null || exit 0
for p in one two; do gcc -O1 -g -o $p $name.c; done
dwz -m $name.dwz one two 2> /dev/null && [ -e $name.dwz ] || exit 0
pt-probe -x ./one -V main > genuine 2>&1; has "the genuine alternate file" "$(cat genuine)" "argc"
mv $name.dwz elsewhere
names $name.dwz one evil $pipe; asks evil $pipe
