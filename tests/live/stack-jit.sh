# pt-stack on programs whose code is made at run time: named frames from leaf to root, through code without call frame information.
. "$PT_TOP/tests/lib.sh"
need_root
ran=
# whole NAME FILE COMM PATTERN: of the samples of COMM that have a frame of the program's own, those with the whole chain
whole() {
	local n
	n=$(awk -v comm="$3;" -v own="$4" -v chain="$5" 'index($0, comm) == 1 && $0 ~ own { n += $NF; if ($0 ~ chain) g += $NF } END { printf "%d %d\n", n, n ? g * 100 / n : 0 }' "$2")
	at_least "$1: samples in the program's own code" "${n% *}" 10
	at_least "$1: share of whole stacks" "${n#* }" 90
	ran="$ran $1"
}
cat > p.py <<'P'
def leaf(n):
    s = 0
    for i in range(n): s += i * i
    return s
def middle(n): return leaf(n) + 1
def outer():
    t = 0
    for i in range(200): t += middle(20000)
    return t
print(outer())
P
for python in python3.12 python3.13 "$HOME"/.pyenv/versions/3.12*/bin/python3.12 "$HOME"/.pyenv/versions/3.13*/bin/python3.13; do
	command -v "$python" > /dev/null || continue
	"$python" -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' 2> /dev/null || continue
	name=$(basename "$python")
	runs 0 pt-stack -F 299 -- "$python" p.py > "$name.folded" 2> "$name.err"
	equal "$name: hints without its option: $(cat "$name.err")" "$(grep -c "^pt-stack: Python's functions have no names: run it with -X perf (Python 3.12 and later)$" "$name.err")" 1
	runs 0 pt-stack -F 299 -- "$python" -X perf p.py > "$name.folded" 2> "$name.err"
	equal "$name: hints: $(cat "$name.err")" "$(grep -c "have no names: run" "$name.err")" 0
	whole "$name" "$name.folded" "$name" 'py::leaf' 'py::<module>.*;py::outer.*;py::middle.*;py::leaf'
	"$python" -X perf_jit -c 'import os, sys; sys.exit(not os.path.exists(f"/tmp/jit-{os.getpid()}.dump"))' 2> /dev/null || continue
	runs 0 pt-stack -F 299 -- "$python" -X perf_jit p.py > "$name.folded" 2> "$name.err"
	whole "$name, jitdump" "$name.folded" "$name" 'py::leaf' 'py::<module>.*;py::outer.*;py::middle.*;py::leaf'
	runs 0 pt-record -q -F 299 --call-graph dwarf -o "$name.data" -- "$python" -X perf_jit p.py > "$name.out" 2> "$name.err"
	runs 0 pt-stack "$name.data" > "$name.folded" 2> "$name.err"
	whole "$name, jitdump, recorded" "$name.folded" "$name" 'py::leaf' 'py::<module>.*;py::outer.*;py::middle.*;py::leaf'
done
if command -v node > /dev/null; then
	cat > j.js <<'P'
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
function outerLoop() { let s = 0; for (let i = 0; i < 6; i++) s += fib(33); return s; }
console.log(outerLoop());
P
	runs 0 pt-stack -F 299 -- node j.js > node.folded 2> node.err
	equal "node: hints without its option: $(cat node.err)" "$(grep -c "^pt-stack: JavaScript's functions have no names: run node with --perf-basic-prof --interpreted-frames-native-stack$" node.err)" 1
	runs 0 pt-stack -F 299 -- node --perf-basic-prof --interpreted-frames-native-stack j.js > node.folded 2> node.err
	equal "node: hints: $(cat node.err)" "$(grep -c "have no names: run" node.err)" 0
	whole node node.folded node ':?[*~^]?fib' '^node;_start;.*outerLoop.*fib'
	runs 0 pt-stack -F 299 -- node --perf-prof --perf-prof-unwinding-info --interpreted-frames-native-stack j.js > node.folded 2> node.err
	whole "node, jitdump" node.folded node ':?[*~^]?fib' '^node;_start;.*outerLoop.*fib'
fi
if command -v javac > /dev/null; then
	cat > J.java <<'P'
public class J { static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } public static void main(String[] a) { long s = 0; for (int i = 0; i < 6; i++) s += fib(38); System.out.println(s); } }
P
	javac J.java || fail "javac"
	runs 0 pt-stack -F 299 -- java J > java.folded 2> java.err
	has "java: hint" "$(cat java.err)" "Java's compiled code has no names: --jvm asks for them, while it runs"
	has "java: the missing flag" "$(cat java.err)" "code made at run time, without frame pointers; Java keeps them with -XX:+PreserveFramePointer"
	runs 0 pt-stack -F 299 -- java -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit J > java.folded 2> java.err
	whole java java.folded java 'int J.fib' 'clone3;start_thread;.*JavaMain.*J.fib'
fi
for f in $(find /tmp -maxdepth 1 \( -name 'perf-*.map' -o -name 'jit-*.dump' \) -newer p.py); do	# what those programs left behind
	n=${f##*-}
	[ -d "/proc/${n%.*}" ] || rm -f "$f"
done
[ -n "$ran" ] || skip "none of Python 3.12, node and Java is here"
echo "ran:$ran"
