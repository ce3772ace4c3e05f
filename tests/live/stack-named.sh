# variants: plain
# An ordinary user's program names files in its debug information: pt-stack opens none that is no regular file of the user's own or of root, none in its
# working directory, and the right one.
. "$PT_TOP/tests/lib.sh"
need gcc strace setpriv
need_root
export PT_CACHE=off
chmod 755 .
mkdir built work; cd built || exit 1
name=split_unit_of_a_program_whose_name_is_long_enough_for_a_path
cat > $name.c <<'C'
volatile long n;
static inline __attribute__((always_inline)) void the_inlined_one(void) { for (int i = 0; i < 1000; i++) n += i; }
int main(void) { for (;;) the_inlined_one(); }
C
gcc -O1 -gdwarf-5 -gsplit-dwarf -fdebug-prefix-map="$PWD"=. -c -o $name.o $name.c && gcc -o prog $name.o || skip "no split debug information"
grep -q "$name.dwo" prog || skip "no name of a .dwo in the program"
mv $name.dwo ..; cd ..
chown -R $nobody:$nobody built
# names TARGET: makes ./evil, which names that file
names() {
	local old=$name.dwo new=$1
	while [ ${#new} -lt ${#old} ]; do new=/$new; done
	[ ${#new} = ${#old} ] || skip "$1 is too long a path"
	sed "s|$old|$new|" built/prog > built/evil || fail "sed"
	chown $nobody:$nobody built/evil; chmod 755 built/evil
}
# profiles PROGRAM: a live session of root while the user runs it; opened.log tells what was opened
profiles() {
	local victim
	setpriv --reuid $nobody --regid $nobody --clear-groups "$1" &
	victim=$!
	pt_pids="$pt_pids $victim"
	(cd work && strace -f -y -e trace=open,openat,openat2 -o ../opened.log pt-stack -F 199 -p $victim --for 0.5 > ../folded 2> ../err) || fail "pt-stack: $(cat err)"
	kill $victim; wait $victim 2> /dev/null
	grep -q main folded || fail "no samples: $(cat folded err)"
}
# not_opened TEXT: no file of that name was opened, but for a handle
not_opened() { grep -v O_PATH opened.log | grep -E "= [0-9]+<[^>]*$1>" && fail "$1 was opened"; :; }

# Where it belongs, the file is read: all that follows is not for want of trying.
cp $name.dwo built; chown $nobody built/$name.dwo
profiles built/prog; grep -q the_inlined_one folded || fail "the .dwo beside the program: $(cat folded err)"
# Somebody else's, or one that everybody may write to, is not.
chown $((nobody + 1)) built/$name.dwo
profiles built/prog; grep -q the_inlined_one folded && fail "a .dwo of another user was read"
chown $nobody built/$name.dwo; chmod 666 built/$name.dwo
profiles built/prog; grep -q the_inlined_one folded && fail "a .dwo that everybody may write to was read"
rm built/$name.dwo
# In the working directory of the tool.
cp $name.dwo work
profiles built/prog; grep -q the_inlined_one folded && fail "a .dwo in the working directory was read"
not_opened "work/$name.dwo"
rm work/$name.dwo
# A FIFO: its writer would go on.
pipe=/tmp/pt-named.$$; mkfifo -m 666 $pipe; at_exit remove_pipe; remove_pipe() { rm -f "$pipe"; }
background sh -c "exec 3> $pipe; : > unblocked"
names $pipe; profiles built/evil
[ ! -e unblocked ] || fail "the FIFO was opened"
# Devices, and files of the kernel that count as regular ones.
for target in /dev/ptmx /proc/kmsg /sys/kernel/uevent_seqnum "$(tracefs)/trace_pipe"; do
	[ -e "$target" ] || continue
	names "$target"; profiles built/evil
	grep -q "$target" opened.log || fail "$target was not asked for"
	not_opened "$target"
done
