# Text of other tools, told apart by itself: gdb, eu-stack, bpftrace, jstack; perf script with odd fields, names, events.
pt-fold "$PT_DATA/fold-gdb.txt"
pt-fold --context --tid "$PT_DATA/fold-gdb.txt"
printf '%s\n' '#0  0x01 in std::map<int, char>::find (this=0x0, k=1) at a.cc:3' '#1  <signal handler called>' '#2  0x02 in (anonymous namespace)::run (f=0x3 <g(int)>) from /lib/x.so' '#3  main () at m.cc:9' > g.txt; pt-fold g.txt
printf '%s\n' 'PID 7 - process' 'TID 7:' '#0  0x00007f1 __poll' '#1  0x00007f2 - 1 main' '#2  0x00007f3 - /lib/libc.so.6' 'TID 8:' '#0  0x00007f1 __poll' '#1  0x00007f2 main - /bin/x' > e.txt; pt-fold e.txt; pt-fold --tid e.txt
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
