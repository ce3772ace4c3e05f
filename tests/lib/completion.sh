# completion.sh - the completion as bash calls it. Source it after lib.sh; then offers LINE: the line up to the cursor -> what it offers.
offers() {
	COMP_LINE=$1 COMP_POINT=${#1}
	# Words as bash breaks them: at blanks, = and :
	mapfile -t COMP_WORDS < <(sed -E 's/([=:])/ \1 /g' <<< "$1" | tr -s ' ' '\n')
	case $1 in *' ') ;; *) unset 'COMP_WORDS[-1]' ;; esac
	COMP_CWORD=${#COMP_WORDS[@]}
	COMPREPLY=()
	_pt "${1%% *}"
	echo "$1| ${COMPREPLY[*]}"
}
. "$PT_TOP/scripts/completion.bash"
compopt() { :; }	# only within a completion
