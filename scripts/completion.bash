# Bash completion for the pt tools: options from each tool's own --complete-options, events, files, and commands behind "--".
# Installed once under each tool's name; or: source scripts/completion.bash

#
# Names of files, functions and events come from anybody. None of them is ever expanded: compgen -W
# and sed with text of others in the script would run what stands in them. What is inserted is quoted.

# Prints those lines of standard input that start with $1.
_pt_starting() {
	PT_START=$1 LC_ALL=C awk 'index($0, ENVIRON["PT_START"]) == 1'
}

# Reads lines (candidates, without quotes) and prints them as they are inserted: behind $1, which is
# kept as typed, quoted for the quote that is open (_pt_quote). A name that cannot be quoted there, or
# that holds control characters, is left out.
_pt_inserted() {
	local text out c i
	while IFS= read -r text; do
		[[ $text == *[[:cntrl:]]* ]] && continue
		case $_pt_quote in
		"'") [[ $text == *"'"* ]] && continue; out=$text ;;
		'"') [[ $text == *[\"\$\`\\!]* ]] && continue; out=$text ;;
		*)	out=
			for ((i = 0; i < ${#text}; i++)); do
				c=${text:i:1}
				case $c in
				[[:alnum:]]|[-_.,:/@%+=^]) ;;
				*) c=\\$c ;;
				esac
				out+=$c
			done ;;
		esac
		printf '%s\n' "$1$out"
	done
}

# Splits the line up to the cursor as the shell does, without expanding anything. Sets _pt_words (the
# words before the current one, quotes removed), _pt_cur (the current one, quotes removed), _pt_typed
# (the current one as typed, without the quote that is open) and _pt_quote (that quote, or nothing).
_pt_split() {
	local line=$1 i c word= typed= quote= inside=
	_pt_words=()
	for ((i = 0; i < ${#line}; i++)); do
		c=${line:i:1}
		if [ -z "$quote" ] && [[ $c == [[:space:]] ]]; then
			[ -n "$inside" ] && _pt_words+=("$word")
			word= typed= inside=
			continue
		fi
		inside=1
		if [ -n "$quote" ] && [ "$c" = "$quote" ]; then
			quote= typed+=$c
		elif [ -z "$quote" ] && [[ $c == [\"\'] ]]; then
			quote=$c
			[ -n "$typed" ] && typed+=$c
		elif [ "$c" = \\ ] && [ "$quote" != "'" ]; then
			i=$((i + 1)) word+=${line:i:1} typed+=$c${line:i:1}
		else
			word+=$c typed+=$c
		fi
	done
	_pt_cur=$word _pt_typed=$typed _pt_quote=$quote
}

# Events as -e takes them: those of pt-list but for tracepoints, and the tracepoints that this user may
# see. $1: the word so far.
_pt_events() {
	local dir d
	{ pt-list --all sw tool hw cache pmu vendor 2> /dev/null ||
		printf '%s\n' cpu-clock task-clock page-faults minor-faults major-faults \
			context-switches cpu-migrations alignment-faults emulation-faults \
			cgroup-switches dummy cycles instructions cache-references cache-misses \
			branches branch-misses bus-cycles ref-cycles
	} | tr -s ' \t' '\n\n' | _pt_starting "$1"
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

# Words in COMPREPLY lose what stands in front of the colon: bash has split the line there.
# $1: the word as typed.
_pt_cut() {
	local i
	[[ $1 == *:* && $COMP_WORDBREAKS == *:* ]] || return
	for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${COMPREPLY[i]#"${1%:*}:"}; done
}

# Names of files for readline to quote (-o filenames). $1: the word as typed.
_pt_files() {
	mapfile -t COMPREPLY < <(compgen "${2--f}" -- "$1")
	compopt -o filenames 2> /dev/null
}

# Candidates from standard input that start with the part of the word behind the last of $3 ("" for
# none). $1: the word without quotes, $2: as typed.
_pt_offer() {
	local part=$1 kept=
	if [ -n "$3" ] && [[ $1 == *[$3]* ]]; then
		part=${1##*[$3]} kept=${2%"${2##*[$3]}"}
	fi
	mapfile -t COMPREPLY < <(_pt_starting "$part" | _pt_inserted "$kept")
}

_pt_values() {	# "ARG-NAME [VALUE...]" WORD WORD-AS-TYPED
	local arg cur=$2 typed=$3 values
	read -ra values <<< "$1"
	arg=${values[0]-} values=("${values[@]:1}")
	[ "$arg" = '[NAMES]' ] && arg=SYSCALLS	# of --syscall=NAMES
	arg=${arg//[\[\]]/}
	if [ ${#values[@]} -gt 0 ]; then	# there are no others
		_pt_offer "$cur" "$typed" , < <(printf '%s\n' "${values[@]}")
		return
	fi
	case $arg in
	FILE) _pt_files "$typed" ;;
	DIR) _pt_files "$typed" -d ;;
	EVENT)
		_pt_offer "$cur" "$typed" , < <(_pt_events "${cur##*,}")
		case ${#COMPREPLY[@]}:${COMPREPLY[0]-} in 1:*:) compopt -o nospace 2> /dev/null ;; esac
		_pt_cut "$typed" ;;
	CONTROL)	# fifo:CTL,ACK: names of files behind the colon, and behind the comma
		case $cur in
		fifo:*) _pt_offer "$cur" "$typed" :, < <(compgen -f -- "${cur##*[:,]}") ;;
		*)
			_pt_offer "$cur" "$typed" '' < <(printf '%s\n' fifo: fd:)
			compopt -o nospace 2> /dev/null ;;
		esac
		_pt_cut "$typed" ;;
	CALLS)	# pt-trace -e: classes and system calls, also behind a "!"
		_pt_offer "$cur" "$typed" ',!=' < <(_pt_calls) ;;
	SYSCALLS) _pt_offer "$cur" "$typed" , < <(_pt_calls | grep -v '[%=]') ;;
	USER) _pt_offer "$cur" "$typed" '' < <(compgen -u) ;;
	METRICS) _pt_offer "$cur" "$typed" , < <(echo help; pt-list metric metricgroup) ;;
	ERRORS)
		_pt_offer "$cur" "$typed" , < <(printf '%s\n' EACCES EAGAIN EBADF ECONNREFUSED \
			ECONNRESET EEXIST EFAULT EINTR EINVAL EIO EISDIR EMFILE ENOENT ENOMEM ENOSPC \
			ENOSYS ENOTDIR ENOTEMPTY ENXIO EPERM EPIPE EROFS ETIMEDOUT) ;;
	PATH) _pt_files "$typed" ;;
	PIDS|TIDS|PID|TID) _pt_offer "$cur" "$typed" , < <(cd /proc && printf '%s\n' [0-9]*) ;;
	PATTERN)	# probes that are there
		_pt_offer "$cur" "$typed" '' < <(pt-probe -l 2> /dev/null | awk '{ print $1 }' | sort -u)
		_pt_cut "$typed" ;;
	CPUS)
		_pt_offer "$cur" "$typed" , < <(cd /sys/devices/system/cpu 2> /dev/null &&
			compgen -G 'cpu[0-9]*' | sed 's/^cpu//') ;;
	*) COMPREPLY=() ;;
	esac
}

# System calls: strace's classes, and the names that tracefs has.
_pt_calls() {
	local dir
	printf '%s\n' %file %desc %process %network %signal %ipc %memory %creds %clock %stat %lstat \
		%fstat %statfs %fstatfs %pure trace= signal= status= quiet=exit
	for dir in /sys/kernel/tracing /sys/kernel/debug/tracing; do
		[ -r $dir/events ] && [ -x $dir/events ] || continue
		compgen -G "$dir/events/syscalls/sys_enter_*" | sed 's|.*/sys_enter_||'
		return
	done
}

_pt_points() {	# WORD WORD-AS-TYPED WORD-BEFORE...
	local cur=$1 typed=$2 where=() list=
	shift 2
	while [ $# -gt 0 ]; do
		case $1 in
		-x|-k|-m|--exec|--vmlinux|--module) where=("$1" "${2-}") ;;
		-l|--list|-d|--del) list=1 ;;
		esac
		shift
	done
	if [ -n "$list" ]; then
		_pt_values PATTERN "$cur" "$typed"
	elif [ ${#where[@]} -gt 0 ] || [ -n "$cur" ]; then
		_pt_offer "$cur" "$typed" '' < <(pt-probe "${where[@]}" -F "$cur*" 2> /dev/null | cut -f1)
		_pt_cut "$typed"
	fi
}

_pt() {
	local tool=$1 cur typed prev opt arg i options
	local _pt_words _pt_cur _pt_typed _pt_quote

	COMPREPLY=()
	# The word as typed, whatever of it bash took for a break (":" of an event, "=" of --opt=value).
	_pt_split "${COMP_LINE:0:COMP_POINT}"
	cur=$_pt_cur typed=$_pt_typed
	prev=; [ ${#_pt_words[@]} -gt 1 ] && prev=${_pt_words[-1]}

	# Behind "--": a command and its own completion.
	for ((i = 1; i < ${#_pt_words[@]}; i++)); do
		if [ "${_pt_words[i]}" = -- ]; then
			if declare -F _command_offset > /dev/null; then
				for ((i = 1; i < COMP_CWORD; i++)); do [ "${COMP_WORDS[i]}" = -- ] && break; done
				_command_offset $((i + 1))
			elif [ $i -eq $((${#_pt_words[@]} - 1)) ]; then
				mapfile -t COMPREPLY < <(compgen -c -- "$typed" | sort -u)
				compopt -o filenames 2> /dev/null
			else
				_pt_files "$typed"
			fi
			return
		fi
	done

	options=$("$tool" --complete-options 2> /dev/null)
	case $cur in
	--*=*)
		opt=${cur%%=*}
		arg=$(_pt_argument "$opt" <<< "$options")
		_pt_values "$arg" "${cur#*=}" "${typed#*=}"
		case $COMP_WORDBREAKS in *=*) ;; *)
			for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=$opt=${COMPREPLY[i]}; done ;;
		esac
		return ;;
	-*)
		_pt_offer "$cur" "$typed" '' < <(awk '{ print $1 }' <<< "$options"; echo --)
		return ;;
	esac
	# An option in front that takes an argument (not an optional one).
	arg=$(_pt_argument "$prev" <<< "$options")
	if [ -n "$arg" ] && [[ $arg != \[* ]]; then
		_pt_values "$arg" "$cur" "$typed"
		return
	fi
	case $tool in *pt-list)	# kinds and events
		_pt_offer "$cur" "$typed" '' < <(printf '%s\n' hardware software cache tool pmu vendor raw \
			breakpoint tracepoint probe sdt metric metricgroup; _pt_events "$cur")
		case ${#COMPREPLY[@]}:${COMPREPLY[0]-} in 1:*:) compopt -o nospace 2> /dev/null ;; esac
		_pt_cut "$typed"
		return ;;
	esac
	case $tool in *pt-probe)	# functions of the program, or of the kernel once a letter narrows them
		_pt_points "$cur" "$typed" "${_pt_words[@]:1}"
		return ;;
	esac
	_pt_files "$typed"
}

# What stands behind option $1 among the lines "OPTION ARGUMENT [VALUE...]" of standard input.
_pt_argument() {
	local name arg
	while read -r name arg; do
		[ "$name" = "$1" ] && { printf '%s\n' "$arg"; return; }
	done
}

# pt TOOL ...: the tools' names, then what the tool itself completes.
_pt_overview() {
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		_pt_split "${COMP_LINE:0:COMP_POINT}"
		_pt_offer "$_pt_cur" "$_pt_typed" '' < <("$1" | sed -n 's/^pt-\([a-z]*\) .*/\1/p')
	elif [[ $COMP_LINE == "pt "[a-z]* ]] && command -v "pt-${COMP_WORDS[1]}" > /dev/null; then
		COMP_LINE=pt-${COMP_LINE#pt }
		COMP_WORDS=("pt-${COMP_WORDS[1]}" "${COMP_WORDS[@]:2}")
		COMP_CWORD=$((COMP_CWORD - 1))
		_pt "${COMP_WORDS[0]}"
	fi
}

complete -F _pt_overview pt
complete -F _pt pt-annotate pt-convert pt-diff pt-doctor pt-flame pt-fold pt-heatmap pt-lat pt-list pt-probe pt-record pt-report pt-schedlat pt-schedmap \
	pt-script pt-stack pt-stat pt-timechart pt-timehist pt-top pt-trace
