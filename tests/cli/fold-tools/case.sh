# Text of other tools, told apart by itself: gdb, eu-stack, bpftrace, jstack; perf script with odd fields, names, events.
pt-fold "$PT_DATA/fold-gdb.txt"
pt-fold --context --tid "$PT_DATA/fold-gdb.txt"
printf '%s\n' '#0  0x01 in std::map<int, char>::find (this=0x0, k=1) at a.cc:3' '#1  <signal handler called>' '#2  0x02 in (anonymous namespace)::run (f=0x3 <g(int)>) from /lib/x.so' '#3  main () at m.cc:9' > g.txt; pt-fold g.txt
printf '%s\n' 'PID 7 - process' 'TID 7:' '#0  0x00007f1 __poll' '#1  0x00007f2 - 1 main' '#2  0x00007f3 - /lib/libc.so.6' 'TID 8:' '#0  0x00007f1 __poll' '#1  0x00007f2 main - /bin/x' > e.txt; pt-fold e.txt; pt-fold --tid e.txt
printf '%s\n' 'TID 7:' '#0  0x01 net/http.(*Client).Do' '#1  0x02 f(int)::{lambda(int)#1}::operator()(int) const' '#2  0x03 f(int (*)(int))' '#3  0x04 (anonymous namespace)::g(int)::h::operator()() const' '#4  0x05 a<b(c)>::d(e)' | pt-fold
printf '%s\n' 'Attaching 1 probe...' '' '@[' '    vfs_read+1' '    sys_read+22' ',' '    main+3' ', my prog]: 5' '@x[dd, ' '    a+1' ']: 2' '@[bash]: 3' > b.txt; pt-fold b.txt
printf '%s\n' 'Full thread dump OpenJDK' '' '"main" #1 prio=5 tid=0x1 nid=0x2 runnable' '   java.lang.Thread.State: RUNNABLE' '	at java.io.Read.read0(Native Method)' '	- locked <0x1> (a x)' '	at Main.main(Main.java:3)' '' '"GC" os_prio=0 tid=0x1 nid=0x3 runnable' '' > j.txt; pt-fold j.txt
echo "== perf, fields"
s='	          401136 in+0x6 (inlined)
	          401136 work(int)+0x6 (/bin/x)
	            8001 [unknown] (/usr/lib/libz.so.1 (deleted))
	            8002 [unknown] ([unknown])
'
for h in 'my prog  123/124  [001] 12.345678:     250000 cycles:u: ' 'my prog  124 12.345678: cycles:u: ' 'my prog  124 ' 'my prog ' 'my prog  cycles:u: ' 'T 5  124 [000] 1.5: 7 cycles:u: ' 'x 9/9 1.2: sys:e: prev=a ==> b: '; do
	printf '%s\n%s\n' "$h" "$s" | pt-fold --tid
done
printf '%s\n%s' 'end 1 1.2: 5 c: ' "$s" | pt-fold --inlined --addrs
printf '%s\n%s' 'end 1 1.2: 5 c: ' "$s" | pt-fold --no-inline --samples
printf 'p 1 1.2: 5 c:\n\t   40 f+0x1 (/bin/x)\n  x.c:3\n\t   41 main+0x2 (/bin/x)\n  x[41]\n\n' | pt-fold --context
printf 'p 1 1.2: 5 c:\n\t   40 f+0x1\n\t   41 main+0x2\n\n            p     1 1.2:          7 c:       ffff f+0x1 (/bin/x)\n' | pt-fold
printf 'p 1 1.2: 5 a:\n\t 40 f (x)\n\np 1 1.2: 6 b:\n\t 40 f (x)\n\np 1 1.2: 7 a:\n\t 40 f (x)\n\n' > ev.txt
pt-fold ev.txt; pt-fold -e b ev.txt; pt-fold --all-events ev.txt; pt-fold --event none ev.txt
printf 'a;b 1\n' > f.txt; pt-fold f.txt ev.txt f.txt
printf 'p\033[1m 1 1.2: 5 a:\n\t 40 f;\033]0;x\007 (x)\n\n' | pt-fold
echo "== perf, samples without call chains"
for i in 1 2 3; do echo "            perf    7 [000]     1.$i:       sched:sched_switch: prev_comm=a b prev_pid=7 ==> next_comm=$i"; echo "          my prog   12 [001]     1.$i: sched:sched_wakeup: comm=x"; done > flat.txt
pt-fold flat.txt; pt-fold --all-events flat.txt
echo "== perf, names that end in numbers, with and without ids; what is no sample; lost indents; addresses alone"
p='	           40 f+0x1 (/bin/x)
	           41 main+0x2 (/bin/x)
'
for h in 'worker 1 ' 'worker 1 15562    5025125 ' 'worker 1 15562    5025125 c: ' 'worker 1 12.5: ' 'w 12/3 15562 U     12.5:    5025125 c: ' '(w) 1 15551/15562 [001] 12.5:    5025125 c: ' 'worker 1 [001] 12.5:    5025125 c: '; do
	printf '%s\n%s\n' 'q 15550/15560 ' "$p" "$h" "$p" | sed "1s/.*/$(printf '%s' "$h" | sed 's/worker 1\|w 12.3\|(w) 1/plain/; s/[/]/\\\//g')/" > i.txt; pt-fold --tid i.txt; pt-fold --from perf --tid i.txt | cmp - <(pt-fold --tid i.txt)
done
printf 'p 15551 1.2: PERF_RECORD_COMM exec: p:15551/15551\np 15551 1.2: PERF_RECORD_FORK(1:2):(1:1)\np 15551 1.2:          5 c: \n%s insn: 48 89\n\n' "$p" | pt-fold
printf 'p 15551 cycles:\nffffffff8103d0ca native_write ([kernel.kallsyms])\n7f72  (/tmp/perf-1.map)\n7f724123176f main (/bin/x)\n\n' | pt-fold --all
printf 'p 15551 1.2:  5 c: \n\t7f1e2215d058  (/tmp/perf-1.map)\n\t7f1e2215d0c0  (/tmp/perf-1.map)\n\t 41 main (/bin/x)\n\n' | pt-fold
printf 'p \n\t    add (/bin/x)\n\t    main (/bin/x)\n\n' | pt-fold
echo "== gdb and eu-stack, names of C++"
printf '%s\n' 'Thread 2 (Thread 0x7f (LWP 7) "wo "rk" (1)"):' '#0  Op::operator-> (this=0x7f) at g.cc:15' '#1  0x01 in std::_Function_handler<int(int), (anonymous namespace)::Anon>::_M_invoke(const std::_Any_data &, int &&) (f=..., a=@0x7f: 2) at f.h:2' \
	'#2  0x02 in std::function<int (int)>::operator()(int) const (this=0x7f) at f.h:591' '#3  0x03 in inl (m=std::map with 1 element = {...}, s=0x5 "he said \"x) at y\"") at g.cc:14' '        l = <optimized out>' 'No locals.' \
	'#4  0x04 in operator() (c=0x5) at g.cc:17' '#5  0x05 in std::__invoke<main()::<lambda()> >(struct {...} &&) (f=...) at i.h:96' '#6  0x06 in ?? () from /lib/libstdc++.so.6' > n.txt; pt-fold n.txt
printf '%s\n' 'TID 7:' '#0  0x0001     Op::operator->() - /bin/x' '#1  0x0002 - 1 main::{lambda()#1}::operator()() const - /bin/x' '#2  0x0003 - 1 void f<main::{lambda()#1}>(std::_Index<0ul>)' '#3  0x0004 - 1 (anonymous namespace)::g(int (*)(int))' '#4  0x0005 - 1 (anonymous namespace)::h' '#5  0x0006 - 1 operator new[](unsigned long)' '#6  0x0007 - 1 std::operator<< <char>(int)' '#7  0x8' | pt-fold
echo "== bpftrace, shapes of maps"
printf '%s\n' '@[' '	ffffffff813a2293 finish.isra.0+147' '	ffffffff821f53d4 __schedule+980' ', ' '	7f1d2 main+5 (/bin/x)' '	7f1d3 [unknown] (/lib/y.so)' ', swapper/0, 0]: 1' '@f[' '    a+1' ']: count 107, average 2, total 214' '@d[' '    b+1' ']: ' '[2, 4)                 2 |@@@@|' '' '@[7, ' '    0xf7ddcd06' ']: 3' > s.txt; pt-fold s.txt; pt-fold --addrs s.txt
