# lib.sh - what shell tests share. tests/run starts them in a scratch directory with the tools of the variant on PATH:
#     PT_TOP the source tree, PT_BIN, PT_TOOLS the built tools, PT_DATA tests/data, PT_VARIANT plain or san, TMPDIR the scratch directory
set -u
. "$PT_TOP/tests/lib/live.sh"

exec 19>&2	# what failed is told here, also where the test sends standard error to a file
# failed WHAT [FILE]: for the functions below: ends the test; tells where the function was called, and the first lines of FILE
failed() { echo "FAILED at ${BASH_SOURCE[2]##*/}:${BASH_LINENO[1]}: $1" >&19; [ ! -f "${2-}" ] || head -20 "$2" | cat -v >&19; exit 1; }
fail() { failed "$*"; }
skip() { echo "SKIP: $*"; exit 77; }
# equal WHAT GOT WANT
equal() { [ "$2" = "$3" ] || failed "$1 is '$2', not '$3'"; }
at_least() { [ "$2" -ge "$3" ] || failed "$1 is $2, which is less than $3"; }
at_most() { [ "$2" -le "$3" ] || failed "$1 is $2, which is more than $3"; }
# has WHAT TEXT PART
has() { case $2 in *"$3"*) ;; *) failed "$1 is '$2', without '$3'" ;; esac; }
empty() { [ ! -s "$2" ] || failed "$1 is not empty: $(head -c 600 "$2")"; }
same_file() {	# the files may be pipes: they are read once
	diff -u "$2" "$3" > "$TMPDIR/.diff" 2>&1 || failed "$1: $2 and $3 differ" "$TMPDIR/.diff"
}
# runs STATUS COMMAND...: must end with that exit status
runs() {
	local want=$1 got; shift
	"$@"; got=$?
	[ $got -eq "$want" ] || failed "$* ended with status $got, not $want" /proc/$BASHPID/fd/2
}
need() { local c; for c; do command -v "$c" > /dev/null || skip "$c is not installed"; done; }
# Programs for i386 can be built and run here. If not, prints why.
runs_i386() {
	echo 'int main(void) { return 0; }' | gcc -m32 -o "$TMPDIR/.i386" -x c - 2> "$TMPDIR/.i386.err" ||
		{ echo "gcc -m32 does not work here: $(head -1 "$TMPDIR/.i386.err")"; return 1; }
	"$TMPDIR/.i386" 2> /dev/null || { echo "this kernel does not run programs for i386"; return 1; }
}
need_root() { [ "$(id -u)" = 0 ] || skip "not root"; }
# until_true SECONDS COMMAND...: polls; false when the time is over (give it a long one)
until_true() {
	local end=$(($(date +%s) + $1)); shift
	until "$@" > /dev/null 2>&1; do
		[ "$(date +%s)" -lt $end ] || return 1
		sleep 0.05
	done
}
# as_nobody COMMAND...: as a user (and group) without privileges or a name, who can read the tools. An id of this test's own: what others of the same id
# have locked in memory for rings would count against it. These ids belong to nobody on systems with systemd, and are there in most containers.
nobody=$((60578 + $$ % 600))
as_nobody() { setpriv --reuid $nobody --regid $nobody --clear-groups -- env HOME=/ "$@"; }
