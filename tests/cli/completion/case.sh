# The completion as bash calls it: the line up to the cursor -> what it offers. A made-up tool gives the options.
# variants: plain
mkdir bin; cat > bin/pt-lat <<'END'
#!/bin/sh
[ "$1" = --complete-options ] && printf '%s\n' '-e EVENT' '--event EVENT' '-p PIDS' '-a' '--all-cpus' '-o FILE' '--output FILE' '-u USER' '--syscall [NAMES]' '-k CLOCK monotonic monotonic_raw tai' '--control CONTROL' '--clockid CLOCK realtime boottime' '--by KEY comm tid' '-h' '--help'
END
chmod +x bin/pt-lat
PATH=$PWD/bin:$PATH
mkdir here; cd here; touch fio.data 'with space'; mkdir folder

. "$PT_TOP/tests/lib/completion.sh"
offers 'pt-lat --ev'
offers 'pt-lat -'
offers 'pt-lat f'
offers 'pt-lat -o fi'
offers 'pt-lat --output=fi'
offers 'pt-lat --syscall f'
offers 'pt-lat -k mono'
offers 'pt-lat --clockid=r'
offers 'pt-lat --by c'
offers 'pt-lat -u roo'
offers 'pt-lat --by='
offers 'pt-lat --control f'
offers 'pt-lat --control fifo:fi'
offers 'pt-lat --control fifo:x,fold'
offers 'pt-lat -e cpu-c'
offers 'pt-lat -a -e cpu-clock,task'
offers 'pt-lat -- mktem'
offers 'pt-lat -a -- cat wi'
offers 'pt-lat with'
if need_tracefs && [ -d "$(tracefs)/events/sched/sched_switch" ]; then
	offers 'pt-lat -e sched:sched_swit'
	offers 'pt-lat -e cpu-clock,sched:sched_swit'
	offers 'pt-lat -e sche'
fi
# Functions of the program that is named, here a made-up one.
cat > ../bin/pt-probe <<'END'
#!/bin/sh
case " $* " in
*' --complete-options '*) printf '%s\n' '-x FILE' '-l' '-d PATTERN' '--help' ;;
' -x ./prog -F wo* ') printf '%s\n' work worse ;;
' -l ') echo 'probe_prog:work  (on work in prog)' ;;
esac
END
chmod +x ../bin/pt-probe
offers 'pt-probe -x ./prog wo'
offers 'pt-probe -x ./prog nothing'
offers 'pt-probe -d probe_pr'
offers 'pt-probe -l pro'
# Names of others that hold commands: nothing runs, and what is inserted is one quoted word.
echo 'hostile names:'
set +u
RAN=$PWD/ran
touch '$(touch ran)' 'back`touch ran`' 'quote'"'"'s "two' 'semi;touch ran' 'new
line'
cat > ../bin/pt-probe <<'END2'
#!/bin/sh
case " $* " in
*' --complete-options '*) printf '%s\n' '-x FILE' '-l' '-d PATTERN' '-e EVENT' '-p PIDS' '-o FILE' '-k CLOCK' '-$(touch${IFS}$RAN) X' '--help' ;;
*' -x ./my prog -F '*) printf '%s\n' 'operator<(int)' 'a$(touch ran)' 'b`touch ran`' 'c d' "e'f" 'g"h' 'i;j' 'k:l' ;;
' -l ') printf '%s\n' 'x$(touch${IFS}$RAN)' 'y`touch${IFS}$RAN`' "z'" ;;
esac
END2
cat > ../bin/pt-list <<'END2'
#!/bin/sh
printf '%s\n' 'cpu/ev$(touch${IFS}$RAN)/' 'cpu/ev`touch${IFS}$RAN`/' "cpu/ev'x/" 'cpu/plain/'
END2
chmod +x ../bin/pt-list
run() {	# what is offered, what the shell makes of it (in the quote that $quoted tells), and whether anything ran
	local word
	offers "$1"
	for word in "${COMPREPLY[@]}"; do
		[ -n "$quoted" ] && eval "words=(${quoted#-}$word${quoted#-})" && echo "  ${#words[@]} word: ${words[0]}"
	done
	[ ! -e ran ] || echo "RAN by: $1"
	rm -f ran
}
quoted=
for w in '$(touch${IFS}$RAN)' '`touch${IFS}$RAN`' '"$(touch ran)'; do
	for opt in -p -e -o -k -d; do run "pt-probe $opt $w"; done
	run "pt-lat --control=$w"
done > ../all
run 'pt-lat -e x|e;touch${IFS}$RAN;#,c' >> ../all
run 'pt-lat --control fifo:x|e;touch${IFS}$RAN;#,w' >> ../all
run 'pt-lat -p 1,$(touch${IFS}$RAN)' >> ../all
grep RAN ../all
run 'pt-lat $(t'
run 'pt-list $(touch${IFS}$RAN)'
run 'pt-list cpu-clock|e;touch${IFS}$RAN;#,'
run 'pt-probe -$'
quoted=-
run "pt-probe -x './my prog' "
quoted=\'
run "pt-probe -x './my prog' 'a"
quoted=\"
run "pt-probe -x './my prog' \"c"
quoted=-
run 'pt-probe -x ./my\ prog operator\<'
run 'pt-probe -d '
run 'pt-probe -e cpu/'
run "pt-lat --control fifo:q"
run 'pt-lat --control fifo:x,\$'
quoted=
run "pt-lat -p 1,$$" | sed "s/$$/SELF/g"
