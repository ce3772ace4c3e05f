# pt-trace in a kernel that is locked down: perf and tracefs give no system calls there, programs do, but for what is in the kernel's own memory.
. "$PT_TOP/tests/lib.sh"
need qemu-system-x86_64 cpio readelf python3
[ "$(uname -m)" = x86_64 ] || skip "the tools built here do not run on x86_64"
machine=$PT_TOP/tests/vm/machine
"$machine/mk" x86_64 "$B/vm" > mk.log 2>&1 || { tail -5 mk.log; fail "cannot make the machine"; }
mkdir -p t/bin
cp "$PT_BIN"/pt-trace t/bin/
cat > t/test.sh <<'T2'
PATH=/t/bin:$PATH; cd /tmp/out
die() { echo "FAILED: $*"; exit 1; }
mount -t securityfs none /sys/kernel/security
grep -qF '[confidentiality]' /sys/kernel/security/lockdown || die "not locked down"
[ -z "$(ls /sys/kernel/tracing)" ] || die "there is tracefs"
pt-trace -y -e openat,execve -- sh -c 'cat /init > /dev/null; (exit 3); kill -USR1 $$' > lines 2> errors
[ $? = 138 ] || die "status $?"
grep -q 'the kernel is locked down: descriptors have no paths' errors || die "it is not said: $(cat errors)"
grep -q 'openat(AT_FDCWD, "/init", O_RDONLY) *= 3$' lines || die "no path: $(cat lines)"
grep -q -- '--- SIGCHLD {si_signo=SIGCHLD, ...} ---' lines || die "no signal: $(cat lines)"
grep -q '+++ killed by SIGUSR1 +++' lines || die "no end: $(cat lines)"
pt-trace -c -- dd if=/dev/zero of=/dev/null bs=1 count=2000 > sums 2>&1 || die "pt-trace -c: $(cat sums)"
awk '$NF == "write" && $4 >= 2000 { found = 1 } END { exit !found }' sums || die "writes: $(cat sums)"
pt-trace -g -e write -- echo x > stacks 2> errors || die "pt-trace -g: $(cat errors)"
grep -q '^ > /bin/busybox(' stacks || die "no stack: $(cat stacks)"
exit 0
T2
APPEND=lockdown=confidentiality "$machine/run" x86_64 "$B/vm" t out || { cat out/stdout out/stderr 2> /dev/null | tail -20; tail -5 out/console.log; fail "the machine ended with status $?"; }
