# What pt-probe says of wrong usage and of points and arguments that cannot be.
try() { echo "\$ $*" | sed "s|$PWD/|DIR/|g"; "$@" > got 2>&1; local rc=$?; sed "s|$PWD/|DIR/|g" got; echo "status $rc"; }
cat > prog.c <<'C'
static int twice(int x) { return 2 * x; }
int work(int a, int b)
{
	return a + b;
}
int main(int argc, char **argv) { return work(twice(argc), 2) + !argv; }
C
cc -g -O0 -o prog prog.c || skip "no compiler"
cp prog bare && strip bare
try pt-probe
try pt-probe -x ./prog
try pt-probe -x ./prog -n ''
try pt-probe -l -d x
try pt-probe -l -- true
try pt-probe -n work -- true
try pt-probe -x ./prog work --
try pt-probe -x ./prog -m ext4 work
try pt-probe -x ./prog --maxactive 4 work
try pt-probe -x ./not-there -n work
try pt-probe -x not-there -n work
try pt-probe -x . -n work
try pt-probe -x ./prog.c -n work
printf '#!/usr/bin/env -S python3 -u\n' > script
try pt-probe -x ./script -n work
try pt-probe -x ./prog --all --first -n work:2
try pt-probe -x ./prog -n wrok
try pt-probe -x ./prog -n work:77
try pt-probe -x ./prog -n 'work+'
try pt-probe -x ./prog -n work:2:3
try pt-probe -x ./prog -n '1x=work'
try pt-probe -x ./prog -n work nope
try pt-probe -x ./prog -n work 'a->b'
try pt-probe -x ./prog -n work a:u99
try pt-probe -x ./prog -n work%return a
try pt-probe -x ./prog -n work '$retval'
try pt-probe -x ./prog -n work+1 '$arg1'
try pt-probe -x ./prog -n work '%xyz'
try pt-probe -x ./prog -n 0x1
try pt-probe -x ./prog -n sdt_prog:step
try pt-probe -x ./prog -L nosuch
try pt-probe -x ./prog -V nosuch
try pt-probe -x ./prog -F 'zz*'
try pt-probe -x ./prog --inlined work
try pt-probe -x ./prog --range work
try pt-probe -x ./prog --externs -L work
cat > inlined.c <<'C'
static inline __attribute__((always_inline)) int thrice(int x) { return 3 * x; }
int tripled(int x) { return thrice(x); }
int main(int argc, char **argv) { return tripled(argc) + !argv; }
C
cc -g -O1 -o inlined inlined.c
try pt-probe -x ./inlined -F 't*r*'
try pt-probe -x ./inlined -F --inlined 't*r*'
try pt-probe -x ./inlined -F thrice
try pt-probe -x ./inlined -F 'zz*' 'thr*' main
for mode in -l -F '-L work' '-V work' '-d work'; do
	try pt-probe -x ./bare -a work $mode
done
try pt-probe -x ./bare -V main
try pt-probe "$PWD/bare" main
try pt-probe -x ./bare -n work:2
try pt-probe -n nosuch_function_of_the_kernel
try pt-probe -n vfs_read:5
try pt-probe -L vfs_read
