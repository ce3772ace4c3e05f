# --jvm: names of running Java machines, of other users and in containers; those that do not answer, and programs that only pretend to be one.
. "$PT_TOP/tests/lib.sh"
need javac java python3 setpriv unshare
need_root
cat > J.java <<'J'
public class J { static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } public static void main(String[] a) throws Exception { for (;;) { System.out.println(fib(32)); Thread.sleep(20); } } }
J
javac J.java || fail "javac"
chmod 755 . && chmod 644 J.class
# jvm COMMAND...: runs it until it has printed a number; its pid is $jvm
jvm() {
	background "$@" > printed 2> java.err
	jvm=$!
	until_true 60 grep -q '^[0-9]' printed || fail "$* prints nothing: $(cat java.err)"
	[ "$(cat "/proc/$jvm/comm")" = java ] || jvm=$(cat "/proc/$jvm/task/$jvm/children" | tr -d ' ')
}
watched() { runs 0 pt-stack --jvm -F 299 -p "$jvm" --for 1 > out 2> err; }
still_there() { [ -d "/proc/$jvm" ] || fail "$1: it has ended: $(cat java.err)"; kill "$jvm"; rm -f "/tmp/perf-$jvm.map" "/tmp/.java_pid$jvm"; }
share() { awk -v p="$1" '!/^#/ { n += $NF; if ($0 ~ p) g += $NF } END { print n ? int(g * 100 / n) : 0 }' out; }
own='JavaMain;.*int J.fib[^;]*;int J.fib'

jvm java -XX:+PreserveFramePointer -cp . J
watched
at_least "whole stacks: $(cat err; tail -3 out)" "$(share "$own")" 80
equal "a file is left" "$(ls "/tmp/.attach_pid$jvm" 2> /dev/null)" ""
still_there plain

jvm as_nobody java -XX:+PreserveFramePointer -cp . J
watched
at_least "another user's: whole stacks: $(cat err)" "$(share "$own")" 80
equal "who wrote the map" "$(stat -c %u "/tmp/perf-$jvm.map")" "$nobody"
still_there "another user's"

jvm unshare --mount --pid --fork --kill-child --mount-proc sh -c 'mount -t tmpfs tmpfs /tmp && cp J.class /tmp && exec java -XX:+PreserveFramePointer -cp /tmp J'
watched
at_least "in a container: whole stacks: $(cat err)" "$(share "$own")" 80
still_there "in a container"

jvm java -Xint -cp . J
watched
at_least "interpreted: $(cat err)" "$(share 'JavaMain;.*;Interpreter')" 80
equal "interpreted frames in a row" "$(grep -c 'Interpreter;Interpreter' out)" 0
still_there interpreted

jvm java -XX:+DisableAttachMechanism -cp . J
watched
has "why there are no names" "$(cat err)" "--jvm: 1 Java virtual machine gave no names: it does not listen (-XX:+DisableAttachMechanism?)"
has "the missing flag" "$(cat err)" "-XX:+PreserveFramePointer"
still_there "deaf"

pt-stack --jvm -F 299 -- timeout 3 java -cp . J > out 2> err
has "too late" "$(cat err)" "it has ended (with -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit"

# A program that pretends: it has a file of that name mapped and spins in anonymous memory. Its socket leads elsewhere, never answers, or answers rubbish.
cat > pretend.py <<'T'
import ctypes, mmap, os, signal, socket, sys, threading, time
how, tmp = sys.argv[1], "/tmp/"
open("libjvm.so", "w").write("x" * 4096)
with open("libjvm.so", "rb") as f:
    kept = mmap.mmap(f.fileno(), 4096, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_EXEC)
code = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(b"\xb9\x00\x00\x00\x04\xff\xc9\x75\xfc\xc3")	# a loop of 2^26 rounds
spin = ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
if how != "mortal":
    signal.signal(signal.SIGQUIT, lambda *_: None)
mine = f"{tmp}.java_pid{os.getpid()}"
if how in ("mute", "rubbish", "elsewhere"):
    s = socket.socket(socket.AF_UNIX)
    at = mine if how != "elsewhere" else os.path.abspath("other")
    s.bind(at)
    os.chmod(at, 0o777)
    if at != mine:
        os.symlink(at, mine)
    s.listen(9)
    def serve():
        while True:
            c, _ = s.accept()
            open("asked", "w").write("x")
            c.recv(100) if how == "rubbish" else None
            if how == "rubbish":
                c.send(b"1\n\x1b[31mno\x07" + b"y" * 9999)
                c.close()
    threading.Thread(target=serve, daemon=True).start()
print(1, flush=True)
while True:
    spin()
    time.sleep(0.3)
T
pretends() {
	background python3 pretend.py "$1" > printed 2> java.err
	jvm=$!
	until_true 60 grep -q 1 printed || fail "$1: $(cat java.err)"
	watched
	still_there "$1"
}
case $(uname -m) in
x86_64)
	pretends mortal
	has "a program that SIGQUIT would end" "$(cat err)" "--jvm: 1 Java virtual machine gave no names: it does not listen"
	pretends mute
	has "one that never answers" "$(cat err)" "it does not answer in time"
	rm -f "/tmp/.java_pid$jvm"
	many=
	for i in 1 2 3 4 5; do background python3 pretend.py mute > printed; many=$many,$!; until_true 60 grep -q 1 printed || fail "no pretender"; done
	SECONDS=0
	runs 0 pt-stack --jvm -F 299 -p "${many#,}" --for 1 > out 2> err
	at_most "seconds for five that never answer" $SECONDS 40
	has "what is said of them" "$(cat err)" "--jvm: 5 Java virtual machines gave no names"
	for jvm in ${many//,/ }; do still_there "one of many"; done
	pretends rubbish
	has "one that answers rubbish" "$(cat err)" "gave no names: \x1b[31mno\x07yyy"
	rm -f asked
	pretends elsewhere
	has "a socket that leads elsewhere" "$(cat err)" "it does not listen"
	[ ! -e asked ] || fail "a symbolic link was followed" ;;
esac
