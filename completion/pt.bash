# Bash completion for the pt tools: options from each tool's own --complete-options, events, files, and commands behind "--".
# Installed once under each tool's name; or: source pt.bash

# Events as -e takes them: those of pt-list but for tracepoints, and the tracepoints that this user may see. $1: the word so far.
_pt_events() {
	local dir events
	events=$(pt-list --all sw tool hw cache pmu vendor 2> /dev/null) || events='cpu-clock task-clock page-faults minor-faults major-faults context-switches cpu-migrations alignment-faults emulation-faults
		cgroup-switches dummy cycles instructions cache-references cache-misses branches branch-misses bus-cycles ref-cycles'
	compgen -W "$events" -- "$1"
	for dir in /sys/kernel/tracing /sys/kernel/debug/tracing; do
		[ -r $dir/events ] && [ -x $dir/events ] || continue
		case $1 in
		*:*) compgen -G "$dir/events/${1%%:*}/${1#*:}*/" ;;
		*) compgen -G "$dir/events/$1*/" ;;
		esac | while IFS= read -r d; do
			d=${d%/} d=${d#"$dir/events/"}
			case $d in */*) echo "${d/\//:}" ;; *) echo "$d:" ;; esac
		done
		return
	done
}

# Words in COMPREPLY lose what stands in front of the colon or comma: bash has split the line there.
_pt_cut() {
	local i
	case $1 in *:*) case $COMP_WORDBREAKS in *:*) for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"${1%:*}:"}; done ;; esac ;; esac
}

_pt_values() {	# ARG-NAME WORD
	local arg=$1 cur=$2 list
	case $arg in
	FILE) mapfile -t COMPREPLY < <(compgen -f -- "$cur"); compopt -o filenames 2> /dev/null ;;
	DIR) mapfile -t COMPREPLY < <(compgen -d -- "$cur"); compopt -o filenames 2> /dev/null ;;
	EVENT)
		list=; case $cur in *,*) list=${cur%,*}, ;; esac
		mapfile -t COMPREPLY < <(_pt_events "${cur##*,}" | sed "s|^|$list|")
		case ${#COMPREPLY[@]}:${COMPREPLY[0]} in 1:*:) compopt -o nospace 2> /dev/null ;; esac
		_pt_cut "$cur" ;;
	CONTROL)	# fifo:CTL,ACK: names of files behind the colon, and behind the comma
		case $cur in
		fifo:*) mapfile -t COMPREPLY < <(list=${cur%"${cur##*[:,]}"}; compgen -f -- "${cur##*[:,]}" | sed "s|^|$list|") ;;
		*) mapfile -t COMPREPLY < <(compgen -W 'fifo: fd:' -- "$cur"); compopt -o nospace 2> /dev/null ;;
		esac
		_pt_cut "$cur" ;;
	CLOCK) mapfile -t COMPREPLY < <(compgen -W 'monotonic monotonic_raw realtime boottime tai' -- "$cur") ;;
	PIDS|TIDS|PID|TID) mapfile -t COMPREPLY < <(cd /proc && compgen -G "${cur##*,}[0-9]*" | grep -x '[0-9]*'; [ -n "$cur" ] && compgen -W "${cur##*,}") ;;
	PATTERN)	# probes that are there
		mapfile -t COMPREPLY < <(compgen -W "$(pt-probe -l 2> /dev/null | awk '{ print $1 }' | sort -u)" -- "$cur")
		_pt_cut "$cur" ;;
	CPUS) mapfile -t COMPREPLY < <(cd /sys/devices/system/cpu 2> /dev/null && compgen -G "cpu${cur##*,}[0-9]*" | sed 's/^cpu//') ;;
	*) COMPREPLY=() ;;
	esac
}

_pt_points() {	# WORD WORD-BEFORE...
	local cur=$1 where=() list=
	shift
	while [ $# -gt 0 ]; do
		case $1 in
		-x|-k|-m|--exec|--vmlinux|--module) where=("$1" "${2-}") ;;
		-l|--list|-d|--del) list=1 ;;
		esac
		shift
	done
	if [ -n "$list" ]; then
		_pt_values PATTERN "$cur"
	elif [ ${#where[@]} -gt 0 ] || [ -n "$cur" ]; then
		mapfile -t COMPREPLY < <(pt-probe "${where[@]}" -F "$cur*" 2> /dev/null | cut -f1)
	fi
}

_pt() {
	local tool=$1 cur prev line word opt arg i options before=

	COMPREPLY=()
	# The word as typed, whatever of it bash took for a break (":" of an event, "=" of --opt=value).
	line=${COMP_LINE:0:COMP_POINT}
	cur=${line##*[[:space:]]}
	line=${line%"$cur"}
	read -r -a before <<< "$line"
	prev=; [ ${#before[@]} -gt 1 ] && prev=${before[-1]}

	# Behind "--": a command and its own completion.
	for ((i = 1; i < ${#before[@]}; i++)); do
		if [ "${before[i]}" = -- ]; then
			if declare -F _command_offset > /dev/null; then
				for ((i = 1; i < COMP_CWORD; i++)); do [ "${COMP_WORDS[i]}" = -- ] && break; done
				_command_offset $((i + 1))
			elif [ $i -eq $((${#before[@]} - 1)) ]; then
				mapfile -t COMPREPLY < <(compgen -c -- "$cur" | sort -u)
			else
				mapfile -t COMPREPLY < <(compgen -f -- "$cur")
				compopt -o filenames 2> /dev/null
			fi
			return
		fi
	done

	options=$("$tool" --complete-options 2> /dev/null)
	case $cur in
	--*=*)
		opt=${cur%%=*} word=${cur#*=}
		arg=$(awk -v o="$opt" '$1 == o { print $2; exit }' <<< "$options")
		_pt_values "${arg//[\[\]]/}" "$word"
		case $COMP_WORDBREAKS in *=*) ;; *) for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=$opt=${COMPREPLY[i]}; done ;; esac
		return ;;
	-*)
		mapfile -t COMPREPLY < <(compgen -W "$(awk '{ print $1 }' <<< "$options") --" -- "$cur")
		return ;;
	esac
	# An option in front that takes an argument (not an optional one).
	arg=$(awk -v o="$prev" '$1 == o && $2 !~ /^\[/ { print $2; exit }' <<< "$options")
	if [ -n "$arg" ]; then
		_pt_values "$arg" "$cur"
		return
	fi
	case $tool in *pt-list)	# kinds and events
		mapfile -t COMPREPLY < <(compgen -W 'hardware software cache tool pmu vendor raw breakpoint tracepoint probe sdt' -- "$cur"; _pt_events "$cur")
		case ${#COMPREPLY[@]}:${COMPREPLY[0]} in 1:*:) compopt -o nospace 2> /dev/null ;; esac
		_pt_cut "$cur"
		return ;;
	esac
	case $tool in *pt-probe)	# functions of the program, or of the kernel once a letter narrows them
		_pt_points "$cur" "${before[@]:1}"
		return ;;
	esac
	mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	compopt -o filenames 2> /dev/null
}

complete -F _pt pt-annotate pt-diff pt-doctor pt-flame pt-fold pt-heatmap pt-lat pt-list pt-probe pt-record pt-report pt-schedlat pt-schedmap \
	pt-script pt-stack pt-stat pt-timechart pt-timehist pt-top pt-trace
