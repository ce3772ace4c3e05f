# probevars.sh - variables as probes fetch them beside gdb (probevars.py), for programs of many compilers. Source it after lib.sh; then
#     vars_need; vars_try NAME LANGUAGE COMPILER OPTIONS... ; vars_end CASES [PERCENT]
# LANGUAGE: c, c++, rust. VARS_OPTIONS: of probevars.py. The program is built and compared at once, in the background, two at a time.
vars_programs= VARS_PERF= VARS_OPTIONS=
vars_need() {
	need_root; need_uprobes; need gdb python3 objdump readelf setarch
	setarch -R true 2> /dev/null || skip "addresses are always random here"
	gdb -nx -batch -ex 'python print(1 + 1)' 2> /dev/null | grep -qx 2 || skip "gdb has no python"
	at_exit vars_gone
}
# What a test that was killed has left of its probes
vars_gone() {
	local t g
	wait
	t=$(tracefs)
	for g in $(sed -n "s|^[pr]:\(ptvars_$$_[^/]*\)/.*|\1|p" "$t/uprobe_events" | sort -u); do
		[ ! -d "$t/instances/$g" ] || { echo 0 > "$t/instances/$g/events/$g/enable"; rmdir "$t/instances/$g"; }
		echo "-:$g/all" >> "$t/uprobe_events"
	done
}
vars_try() {
	while [ "$(jobs -r | wc -l)" -ge 2 ]; do wait -n; done
	vars_programs="$vars_programs $1"
	vars_one "$@" > "$1.log" 2>&1 &
}
vars_one() {
	local name=$1 language=$2 source globals options=; shift 2
	case $language in
	c) source=c.c globals="counter table table[2] first words sink" ;;
	c++) source=cc.cc globals="outer::level outer::inner::deep outer::sized::made" ;;
	rust) source=r.rs globals= ;;
	esac
	case " $* " in *" -O0 "*|*" opt-level=0 "*) options=O0 ;; *) options=optimised ;; esac
	"$@" -o "$name" "$PT_TOP/tests/lib/probevars/$source" || return
	python3 -B "$PT_TOP/tests/lib/probevars.py" "$PT_TOOLS/vars" "ptvars_$$_${name//[^a-zA-Z0-9]/_}" $language $options "$name" $source --globals "$globals" ${VARS_PERF:+--perf} $VARS_OPTIONS && echo equal
}
# vars_end CASES [PERCENT]: all are done, without a difference; at least so many cases were compared, and of the variables themselves that gdb has (where perf was asked, too) so many fetched
vars_end() {
	local name n=0
	wait
	for name in $vars_programs; do
		cat "$name.log"
		[ "$(tail -n 1 "$name.log")" = equal ] || fail "$name"
		n=$((n + $(sed -n "s/.* gdb has a value in [0-9]*: \([0-9]*\) fetched.*/\1/p" "$name.log")))
	done
	for name in $vars_programs; do cat "$name.log"; done | awk '
		/ variables pt fetches / { of += $3; pt += $7; perf += $9; wrong += $10; refused += $14; gdb += $NF }
		END { if (of) printf "of %d variables at places gdb has %d, pt fetches %d, perf %d; %d of perf'"'"'s are wrong, %d more the kernel refuses\n", of, gdb, pt, perf, wrong, refused }' | tee sums
	echo "$n values are equal"
	at_least "values that are equal" "$n" "$1"
	[ $# -lt 2 ] || [ ! -s sums ] || at_least "variables that are fetched, of a hundred" "$(sed 's/.* gdb has \([0-9]*\), pt fetches \([0-9]*\),.*/\2 * 100 \/ \1/' sums | { read -r sum; echo $((sum)); })" "$2"
}
