# A recording with its archive, made here and opened in a machine with another kernel and other packages: the same names, lines and stacks.
. "$PT_TOP/tests/lib.sh"
need qemu-system-x86_64 cpio readelf python3 gcc objcopy gzip
need_root
[ "$(uname -m)" = x86_64 ] || skip "the tools built here do not run on x86_64"
machine=$PT_TOP/tests/vm/machine
"$machine/mk" x86_64 "$B/vm" > mk.log 2>&1 || { tail -5 mk.log; fail "cannot make the machine"; }
export PT_CACHE=off
mkdir -p t/bin t/many; cp "$PT_BIN"/pt-* t/bin/
cat > p.c <<'END'
static inline int inlined(int i) { return i * 31 ^ i >> 3; }
static int __attribute__((noinline)) work(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += inlined(i); return s; }
int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += work(2000000); return s == 1; }
END
gcc -g -O1 -Wl,--build-id -o prog p.c && objcopy --only-keep-debug prog prog.debug && objcopy --strip-all --add-gnu-debuglink=prog.debug prog || fail "the program cannot be built"
# A program of our own, those of packages that the machine lacks or has in another version, and much of the kernel; stacks by frame pointers and by CFI.
cat > load.sh <<'END'
./prog
dd if=/dev/urandom bs=64k count=60 status=none | gzip > /dev/null
ls -lR /usr/share/doc > /dev/null 2>&1
END
pt-record -q -g -F 299 -e cpu-clock --archive -o t/fp.data -- bash load.sh 2> err || fail "pt-record: $(cat err)"
pt-record -q --call-graph dwarf -F 299 -e cpu-clock --archive --rotate 200ms -o t/many/cfi -- bash load.sh 2> err || fail "pt-record: $(cat err)"
cat > t/look.sh <<'END'
for r in fp.data many; do
	pt-report --no-children --percent-limit 0 -s comm,dso,sym,srcline $r || exit
	pt-stack $r || exit
done
END
(cd t && sh look.sh > ../here 2> ../here.err) || fail "here: $(cat here.err)"
for name in work inlined p.c: gzip ksys_read; do has "what is seen here" "$(cat here)" "$name"; done
cat > t/test.sh <<'T'
uname -r
PATH=/t/bin:$PATH PT_CACHE=off sh look.sh > /tmp/out/there 2> /tmp/out/there.err
T
MEM=1024 "$machine/run" x86_64 "$B/vm" t out || { tail -n 5 out/there.err out/console.log; fail "the machine ended with status $?"; }
[ "$(cat out/stdout)" != "$(uname -r)" ] || fail "the machine has this kernel"
# The archive has no image of the kernel's vdso: its functions are left out.
seen() { sed -E 's/__vdso_[a-z_]+|\[vdso\]/VDSO/g; s/, unresolved [^,]*//; s/ +/ /g' "$1" | LC_ALL=C sort; }
same_file "what is seen there" <(seen here) <(seen out/there)
