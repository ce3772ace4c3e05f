# pt-stack --once on a thread whose stack lies on a file of a FUSE file system that has stopped to answer: reading the stack would hang, unkillably.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need gcc python3
need_root
[ -c /dev/fuse ] || skip "no /dev/fuse"
# A file system of one file of 2 MB that answers no read behind its first 1.25 MB. Spoken by hand: include/uapi/linux/fuse.h.
cat > fs.py <<'PY'
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
fd, where, size, good = os.open("/dev/fuse", os.O_RDWR), sys.argv[1], 2 << 20, 5 << 18
if libc.mount(b"fs", where.encode(), b"fuse", 0, b"fd=%d,rootmode=40000,user_id=0,group_id=0" % fd):
    sys.exit("mount: " + os.strerror(ctypes.get_errno()))
def attr(node):
    mode, length = (0o40755, 0) if node == 1 else (0o100644, size)
    return struct.pack("<QQQQQQIIIIIIIIII", node, length, length // 512, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)
while True:
    m = os.read(fd, 1 << 18)
    length, op, unique, node = struct.unpack_from("<IIQQ", m)
    body, error = b"", 0
    if op == 26: body = struct.pack("<IIIIHHIIHHIIII", 7, 31, 0, 0, 12, 12, 1 << 16, 1, 0, 0, 0, 0, 0, 0) + bytes(16)  # INIT
    elif op == 1: body = struct.pack("<QQQQII", 2, 0, 1000, 1000, 0, 0) + attr(2)    # LOOKUP
    elif op == 3: body = struct.pack("<QII", 1000, 0, 0) + attr(node)                # GETATTR
    elif op in (14, 27): body = struct.pack("<QII", 0, 0, 0)                         # OPEN, OPENDIR
    elif op == 15:                                                                   # READ
        offset, n = struct.unpack_from("<QI", m, 48)
        if offset + n > good:
            open("stalled", "w")
            continue
        body = bytes(n)
    elif op in (2, 36, 42): continue                                                 # FORGET, INTERRUPT: no answer
    elif op in (18, 25, 29): pass                                                    # RELEASE, FLUSH
    else: error = -38
    os.write(fd, struct.pack("<IiQ", 16 + len(body), error, unique) + body)
PY
cat > sits.c <<'C'
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
static void *sits(void *arg) { FILE *f = fopen("sits.ready", "w"); fclose(f); for (;;) pause(); return arg; }
int main(int argc, char **argv)
{
	pthread_attr_t a;
	pthread_t t;
	int fd = open(argv[argc - 1], O_RDONLY);
	void *p = mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (fd < 0 || p == MAP_FAILED)
		return 1;
	pthread_attr_init(&a);
	pthread_attr_setstack(&a, p, 1 << 20);
	if (pthread_create(&t, &a, sits, NULL))
		return 1;
	pthread_join(t, NULL);
}
C
gcc -O1 -pthread -o sits sits.c || fail "sits.c"
mkdir mnt
background python3 fs.py mnt 2> fs.err
fs=$!
end_fs() { kill -9 $fs; umount -l mnt; }	# what waits for it goes on
at_exit end_fs
until_true 60 grep -q " $PWD/mnt fuse " /proc/mounts || { grep -q Operation fs.err && skip "no FUSE mount: $(cat fs.err)"; fail "no mount: $(cat fs.err)"; }
background ./sits mnt/file
pid=$!
until_true 60 [ -e sits.ready ] || fail "the thread does not run"
tid=$(ls /proc/$pid/task | grep -vx $pid)
background pt-stack --once -p $pid > out 2> err
until_true 60 sh -c "! kill -0 $! 2> /dev/null || [ -e stalled ]"
[ ! -e stalled ] || fail "the file was read"
wait $!
equal status $? 0
equal "main thread" "$(grep -c ' main$' out)" 1
equal "the other one's top frame" "$(awk -v t="TID $tid:" '$0 == t { on = 1; next } on { print $1; exit }' out)" "#0"
equal note "$(cat err)" "pt-stack: the stack of thread $tid ends too early: it lies in a mapped file, which is not read"
