# The options of pt-trace, each with what it must show.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need_root
need gcc jq
quiet="-qq -e signal=none"

# -y: paths of descriptors at the time of the call, also deleted ones; -P; -yy; escaped.
cat > paths.sh <<'S'
exec 7> 'a<b
'
echo one >&7
rm 'a<b
'
echo two >&7
exec 7>&-
echo > /dev/null
cat /etc/hosts > /dev/null
S
pt-trace $quiet -y -e write,dup2 -o a -- sh paths.sh
has "-y" "$(cat a)" "write(1<$PWD/a\\74b\\n>, \"one\\n\", 4)"
has "-y, deleted" "$(cat a)" "write(1<$PWD/a\\74b\\n>(deleted), \"two\\n\", 4)"
pt-trace $quiet -yy -e write -o a -- sh paths.sh
has "-yy" "$(cat a)" '</dev/null<char 1:3>>'
pt-trace $quiet -P /etc/hosts -o a -- sh paths.sh
has "-P, its path" "$(cat a)" 'openat(AT_FDCWD, "/etc/hosts"'
has "-P, its descriptor" "$(cat a)" 'read('
equal "-P, others" "$(grep -cvE 'hosts|read\(|fstat|fadvise|close\(|mmap|copy_file_range|splice' a)" 0
(cd /etc && pt-trace $quiet -P hosts -o "$TMPDIR/a" -- cat /etc/hosts) > out
has "-P, relative" "$(cat a)" 'close(3)'
pt-trace $quiet --errno ENOENT -y -e %file -o a -- cat no-such-file 2> errors
has "--errno" "$(cat a)" "openat(AT_FDCWD<$PWD>, \"no-such-file\", O_RDONLY) = -1 ENOENT"
equal "--errno, others" "$(grep -vc ENOENT a)" 0

# Lines: the time of day, durations, numbers, names, strings, a column.
pt-trace $quiet -tt -T -n -N -s 4 --columns 90 -e write -o a -- echo 0123456789
equal "a line" "$(sed -E 's/[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}/TIME/; s/<0\.[0-9]{6}>/<T>/; s/ +=/ =/' a)" \
	'TIME [   1] write(fd=1, buf="0123"..., count=11) = 11 <T>'
pt-trace $quiet -r -e write -o a -- echo x
equal "-r" "$(grep -cE '^ +0\.000000 write' a)" 1
pt-trace -Z -e openat -e signal=none -qq -o a -- cat no-such-file 2> errors
equal "-Z" "$(grep -vc -- '= -1 ' a)" 0
pt-trace -ff -o split -e execve,exit_group -- sh -c '/bin/true; exit 0'
equal "-ff" "$(cat split.* | grep -c 'exited with 0')" 2
equal "files of -ff" "$(ls split.* | wc -l)" 2
pt-trace -S -ff -o both -- sh -c '/bin/true; exit 0'
equal "files of -ff, and the table" "$(ls both.* | wc -l) $(grep -c ' total$' both)" "2 1"
pt-trace -c -ff -o table -- true
equal "-c has no lines for -ff" "$(ls table.* 2> errors | wc -l) $(grep -c ' total$' table)" "0 1"

# A process that ends while pt-trace starts: there is nothing to show, or it was gone before.
for i in 1 2 3 4 5 6; do
	sleep 0.$((i * 7 + 8)) & short=$!
	status=0
	pt-trace -p $short -o a 2> errors || status=$?
	[ $status = 0 ] || equal "a process that is gone" "$status $(cat errors)" "1 pt-trace: -p $short: no such process"
done
pt-trace -C 2> errors -- true; has "-C" "$(cat errors)" "strace's -C is -S here"
runs 2 pt-trace -e inject=open:error=EIO -- true 2> errors
has "-e inject" "$(cat errors)" "what is watched is never changed"

# JSON that jq parses, of calls, signals, exits, sums and stacks.
cat > inlined.c <<'C'
#include <fcntl.h>
#include <unistd.h>
static inline __attribute__((always_inline)) long inner(int fd) { return write(fd, "x", 1); }
__attribute__((noinline)) long outer(int fd) { return inner(fd) + 1; }
int main(void)
{
	int fd = open("/dev/null", O_WRONLY);
	long sum = 0;

	for (int i = 0; i < 100; i++)
		sum += outer(fd);
	return sum != 200;
}
C
gcc -O2 -g -o inlined inlined.c
pt-trace -g -e write -o a -- ./inlined 2> errors
equal "writes with a stack" "$(grep -c '^write' a)" 100
equal "inlined functions" "$(grep -c '/inlined(inner) (inlined)$' a)" 100
equal "functions" "$(grep -cE '/inlined\(outer\+0x' a)" 100
pt-trace -j -g -e write -o a -- sh -c './inlined; kill -CHLD $$' 2> errors
equal "stacks in JSON" "$(jq -r 'select(.call == "write") | [.stack[].function] | join(" ")' a | grep -c 'inner outer main')" 100
equal "exits in JSON" "$(jq -s 'map(select(.exit == 0)) | length' a)" 2
at_least "signals in JSON" "$(jq -s 'map(select(.signal == "SIGCHLD")) | length' a)" 2
pt-trace -c -j -o a -- ./inlined
equal "sums in JSON" "$(jq -r 'select(.sum == "write") | "\(.calls) \(.p50_us <= .p99_us and .p99_us <= .max_us)"' a)" "100 true"

# A server: sums of each interval add up to what it did; threads and cgroups apart.
(while [ ! -e stop ]; do dd if=/dev/zero of=/dev/null bs=1 count=50 2> /dev/null; sleep 0.05; done) & server=$!
pt-trace -c -I 300 -p $server --for 1.6 -j -o a
at_least "intervals" "$(jq .time a | sort -u | wc -l)" 4
(until [ -e go ]; do sleep 0.05; done; for i in 1 2 3; do dd if=/dev/zero of=/dev/null bs=1 count=500 status=none; sleep 0.3; done) & counted=$!
rm a
pt-trace -c -I 200 -p $counted -j -o a & tracer=$!
until_true 20 test -s a || fail "no interval"
touch go
wait $counted
kill -INT $tracer 2> errors
wait $tracer
equal "writes of all intervals" "$(jq -s 'map(select(.sum == "write").calls) | add' a)" 1500
pt-trace -c --summary-mode thread -p $server --for 0.5 -o a
has "threads" "$(cat a)" "($server), "
pt-trace -c --summary-mode thread --summary-sort-by name -t $server --for 0.3 -o a
at_least "sorted by name" "$(grep -c clone a)" 1
pt-trace $quiet -C 0 -e execve -o a --for 0.5
has "-C" "$(cat a)" execve
v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
group=$v2/pt-trace-$$
if [ -n "$v2" ] && mkdir "$group" 2> /dev/null; then
	echo $server > "$group/cgroup.procs"
	pt-trace -c --summary-mode cgroup -G "${group#"$v2/"}" --for 0.5 -o a
	has "-G" "$(head -1 a)" "/pt-trace-$$, "
	equal "other groups" "$(grep -c '^/' a)" 1
fi
runs 1 pt-trace -G no/such/group --for 0.1 > a 2>&1
has "a control group that is not there" "$(cat a)" "pt-trace: control group no/such/group: "
equal "messages of it" "$(wc -l < a)" 1
pt-trace -c -u "$(id -u)" --for 0.5 -o a
at_least "-u" "$(grep -c ' clone$' a)" 1
pt-trace -c -u 4294967294 --for 0.3 -o a
equal "calls of a user without processes" "$(awk '$NF == "total" { print $4 }' a)" 0
touch stop
wait $server
[ ! -d "$group" ] || rmdir "$group"
pt-trace $quiet -D 300 -e execve -o a -- sh -c '/bin/echo early; sleep 0.8; /bin/echo late' > out
has "-D" "$(cat a)" '["/bin/echo", "late"]'
equal "before -D" "$(grep -c early a)" 0

# A full ring: what came and what is said to be lost are all.
pt-trace $quiet -m 4K -e write -o a -- dd if=/dev/zero of=/dev/null bs=1 count=100000 2> errors
lost=$(sed -nE 's/^pt-trace: ([0-9,]+) of [0-9,]+ .* w[a-z]* lost.*/\1/p' errors | tr -d ,)
equal "delivered and lost" $(($(grep -c '^write(1' a) + ${lost:-0} - 100000 <= 4)) 1
at_least "delivered and lost" $(($(grep -c '^write(' a) + ${lost:-0})) 100000

# What is open when a recording ends has lasted until then, and is chosen as other calls are.
pt-record --syscall --for 0.6 -o open.data -- sh -c 'sleep 9; :' 2> errors
pid=$(pt-trace -j --duration 300 open.data | awk -F'"call":"' '$2 ~ /nanosleep/' | sed 's/.*"pid":\([0-9]*\).*/\1/' | head -1)
at_least "the pid of an open call" "${pid:-0}" 2
at_least "calls of it" "$(pt-trace --pid "$pid" open.data | wc -l)" 2
pt-trace --pid 1 open.data > a 2> errors
empty "calls of another process" a
has "what there is" "$(cat errors)" "$pid"

# What perf recorded.
if command -v perf > /dev/null && perf trace record -o perf.data -- cat /etc/hosts > out 2> errors; then
	pt-trace -o a perf.data
	equal "writes in perf's recording" "$(grep -c 'write(1, 0x.*= [0-9]' a)" "$(perf script -i perf.data 2> errors | grep -c 'sys_enter: NR 1 (1,')"
fi
