# pt-trace without BPF, with two capabilities, and without any: it works with less and says how much less and why.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need_root
need setcap
need_events raw_syscalls:sys_enter
refuse=$PT_TOOLS/refuse

# A seccomp filter: numbers of arguments, no text.
runs 0 "$refuse" pt-trace -y -e openat,close -o a -- cat /dev/null 2> errors
has "the reason" "$(cat errors)" "without BPF: "
has "the reason" "$(cat errors)" "a seccomp filter refuses bpf(2)"
has "what is missing" "$(cat errors)" "strings and structures are addresses, descriptors have no paths"
at_least "openat without its path" "$(grep -cE '^openat\(AT_FDCWD, 0x[0-9a-f]+, O_RDONLY' a)" 1
equal "text" "$(grep -c '"' a)" 0
runs 0 "$refuse" pt-trace -c -o a -- dd if=/dev/zero of=/dev/null bs=1 count=2000 2> errors
has "what is missing" "$(cat errors)" "the time on CPUs is not known"
equal "writes in the sum" "$(awk '$NF == "write" && $4 >= 2000 && $4 < 2010 { print "yes" }' a)" yes
runs 0 "$refuse" pt-trace -g -e write -o a -- dd if=/dev/zero of=/dev/null bs=1 count=2 2> errors
has "a stack" "$(cat a)" " > "

# Two capabilities are enough for all of it.
cp "$PT_BIN/pt-trace" pt-trace-capable
setcap cap_bpf,cap_perfmon+ep pt-trace-capable 2> /dev/null || skip "files here have no capabilities"
chmod 755 . pt-trace-capable
if as_nobody ./pt-trace-capable --version > /dev/null 2>&1; then
	runs 0 as_nobody ./pt-trace-capable -y -e openat -- cat /etc/hosts > a 2> errors
	has "a path" "$(cat a)" '"/etc/hosts", O_RDONLY) = 3</etc/hosts>'
	empty "messages" <(grep -v '^[0-9a-f.:]* *[a-z0-9 ]*$' errors | grep pt-trace)
	runs 0 as_nobody ./pt-trace-capable -g -e openat -- cat /etc/hosts > a 2> errors
	has "a stack" "$(cat a)" " > "
	runs 0 as_nobody ./pt-trace-capable -c -- cat /etc/hosts > a 2> errors
	has "a sum" "$(cat a)" openat
fi

# Without privileges it says what it takes.
runs 1 as_nobody pt-trace -- cat /etc/hosts > a 2> errors
has "what it takes" "$(cat errors)" "it takes root, or CAP_BPF and CAP_PERFMON"
