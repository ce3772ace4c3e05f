# Samples within a BPF program that comes and goes while it is recorded: named by KSYMBOL records, as perf script names them; live too.
# alone: beside programs that others load meanwhile, perf 6.1 misses names
. "$PT_TOP/tests/lib.sh"
need_root
bpf pt_spin 1 2> err; status=$?
[ $status -ne 77 ] || skip "no BPF programs here: $(cat err)"
equal "exit status of bpf" $status 0
[ "$(cat /proc/sys/net/core/bpf_jit_enable 2> err)" = 1 ] || skip "BPF programs are not compiled here"
"$PT_TOOLS/bpfids" > others
runs 0 pt-record -q -F 999 -e cpu-clock -g -o bpf.data -- bpf pt_spin 400 2> err
runs 0 pt-script -F ip,sym,dso bpf.data > all 2> err
grep 'pt_spin' all > got
at_least "samples in the program" "$(wc -l < got)" 20
equal "lines of another form" "$(grep -cvE '^[[:space:]]+[0-9a-f]+ (bpf_prog_[0-9a-f]{16}_pt_spin) \(bpf_prog_[0-9a-f]{16}_pt_spin\)$' got)" 0
runs 0 pt-stack bpf.data > folded 2> err
at_least "stacks through it" "$(grep -cE '^bpf;.*;bpf_test_run;bpf_prog_[0-9a-f]{16}_pt_spin [0-9]+$' folded)" 1
runs 0 pt-stack -F 999 -- bpf pt_other 400 > live 2> err
at_least "live stacks through it" "$(grep -cE '^bpf;.*;bpf_prog_[0-9a-f]{16}_pt_other [0-9]+$' live)" 1
# Whoever asks for build-ids in mappings gets them into everybody's recordings, and perf 6.1 aborts over those.
if { perf script -F ip,sym,dso -i bpf.data > all.perf 2> err; } 2> err; then
	grep 'pt_spin' all.perf > want
	# perf 6.1 has no name for some of the samples where programs of others are in the same pages.
	if grep -q prog others; then
		equal "lines of perf script alone" "$(grep -cvxFf got want)" 0
	else
		same_file "the program in pt-script and perf script" got want
	fi
fi
