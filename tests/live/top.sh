# pt-top on a terminal: each key, resizing, long names, NO_COLOR, how much is sent; the terminal as before after the end, Ctrl-C, kill and a crash; --text beside pt-stack; a recording; another user.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need gcc tmux script jq
export SHELL=/bin/sh	# what script runs
long=$(printf 'very_long_%.0s' $(seq 300))
cat > topprog.c <<C
#include <unistd.h>
volatile unsigned sink;
unsigned __attribute__((noinline)) hot(unsigned n) { for (unsigned i = 0; i < 100000; i++) n = n * 1664525 + sink; return n; }
unsigned __attribute__((noinline)) $long(unsigned n) { for (unsigned i = 0; i < 30000; i++) n = n * 22695477 + sink; return n; }
unsigned __attribute__((noinline)) outer(unsigned n) { unsigned x = hot(n) + $long(n); __asm__ volatile("" : "+r"(x)); return x + 1; }
/* Of a CPU a part: it runs beside all of this test. */
int main(void) { for (unsigned i = 0;; i++) { sink += outer(i); if (i % 64 == 0) usleep(30000); } }
C
gcc -O2 -g -o topprog topprog.c || fail "gcc"
./topprog & target=$!
socket=pt-top-$$ begun=0
tm() { tmux -L "$socket" "$@"; }
trap 'kill $target; tm kill-server 2> /dev/null' EXIT
screen() { tm capture-pane -p 2> /dev/null; }
# shows NAME COMMAND: waits until the screen has it
shows() { local i; for i in $(seq 300); do screen | grep -qF -- "$1" && return; sleep 0.1; done; fail "no '$1' on the screen: $(screen; cat tmux.err)"; }
shows_not() { local i; for i in $(seq 300); do screen | grep -qF -- "$1" || return 0; sleep 0.1; done; fail "still '$1' on the screen: $(screen)"; }
# terminal COLUMNS LINES COMMAND...: by itself, since the user's shell may be one that runs nothing (as in a service)
terminal() { local x=$1 y=$2; shift 2; tm -f /dev/null new-session -d -x "$x" -y "$y" "$@" 2> tmux.err; }
terminal 80 24 env TERM=screen sh -c 'stty -g > /dev/null && echo READY; sleep 1000'
for i in $(seq 100); do screen | grep -q READY && break; sleep 0.1; done
screen | grep -q READY || skip "tmux opens no terminal here: $(head -1 tmux.err) $(tm has-session 2>&1)"
# begin COLUMNS LINES ARG...: a shell on a terminal of its own that runs pt-top and then tells its status and the terminal's state
begin() {
	local x=$1 y=$2
	shift 2
	tm kill-server 2> /dev/null
	socket=pt-top-$$-$((++begun))	# a server of its own: one that is ending may still take the next session
	terminal "$x" "$y" env -u NO_COLOR TERM=screen PATH="$PATH" sh -c "trap : INT; stty -g > before; pt-top $* 2> err; echo \"STATUS \$?\"; stty -g > after; cmp before after && echo SAME; sleep 1000"
}
ended() { shows "STATUS $1"; shows SAME; }

# Every key.
begin 100 20 -g -d 0.2 --window 4 -p $target
shows '[.] hot'
shows 'Enter calls'
tm send-keys /; tm send-keys -l hot; shows 'rows with: hot_'; tm send-keys Enter
shows 'rows with hot'; shows_not '[.] outer'
tm send-keys Enter; shows 'Calls of hot'; shows 'Its callers:'; shows '---hot'; shows ' outer'
tm send-keys Enter; shows 'Code of hot'; tm send-keys Home; shows 'noinline'
tm send-keys Escape; shows '[.] hot'
tm send-keys a; shows 'Code of hot'; tm send-keys Left; shows '[.] hot'
tm send-keys Escape; shows '[.] outer'
tm send-keys End; tm send-keys Home; tm send-keys Down; tm send-keys Up; tm send-keys PageDown; tm send-keys PageUp; tm send-keys j; tm send-keys k
tm send-keys d; shows Baseline; shows 'Delta'; tm send-keys d; shows_not Baseline
tm send-keys f; shows ', held'
samples=$(screen | head -1); sleep 0.6
equal "held" "$(screen | head -1)" "$samples"
tm send-keys f; shows_not ', held'
tm send-keys z; shows 'in 0.2 s'; tm send-keys z; shows 'in 4 s'
tm send-keys F; shows 'samples a second (-F): _'; tm send-keys -l 499; tm send-keys Enter
tm send-keys s; shows 'keys (-s)'; tm send-keys -l comm,sym; tm send-keys Enter; shows Command; shows topprog; shows_not 'Shared Object'
tm send-keys s; tm send-keys -l time; tm send-keys Enter; shows 'pt-report has them'; tm send-keys s; tm send-keys Escape
# Four seconds later all samples of the window are at the new rate, of the CPU time that the target got.
ticks() { awk '{ print $14 + $15 }' /proc/$target/stat; }
sleep 1; before=$(ticks); sleep 4.2
expected=$((($(ticks) - before) * 499 / 100)) samples=$(screen | head -1 | tr -d , | awk '{ print $1 }')
at_least "samples in 4 s after F" "${samples:-0}" $((expected * 6 / 10)); at_most "samples in 4 s after F" "${samples:-0}" $((expected * 12 / 10))
tm send-keys F; tm send-keys -l 99999999; tm send-keys Enter; shows 'the kernel allows'
tm send-keys D; shows 'refreshes (-d)'; tm send-keys -l 1; tm send-keys Enter; tm send-keys z; shows 'in 1 s'; tm send-keys z
tm send-keys D; tm send-keys -l x; tm send-keys Enter; shows "'x'"
tm send-keys s; tm send-keys -l dso,sym; tm send-keys Enter; shows 'Shared Object'; shows '[.] hot'
tm send-keys U; shows ', without user rows'; shows_not '[.] hot'; tm send-keys U; shows '[.] hot'
tm send-keys K; shows ', without kernel rows'; tm send-keys K; shows_not 'without kernel'
tm send-keys '?'; shows 'Keys'; shows 'quit'; tm send-keys q; shows '[.] hot'
tm send-keys w; shows 'stacks are in pt-top-'
grep -q '_start;.*main;outer;hot [0-9]*$' pt-top-*.folded || fail "folded: $(cat pt-top-*.folded)"
pt-flame pt-top-*.folded > flame.svg || fail "pt-flame does not read what w wrote"
# Sizes.
tm resize-window -x 40 -y 10; shows 'Share...'; shows '[.] hot'
tm resize-window -x 200 -y 50; shows "[.] very_long_very_long"
at_least "widest line" "$(screen | awk '{ if (length($0) > n) n = length($0) } END { print n }')" 150
tm send-keys q; ended 0
[ ! -s err ] || fail "something was said: $(cat err)"

# Ctrl-C, kill, a crash: the terminal is as before.
begin 80 24 -d 0.5 -p $target; shows '[.] hot'; tm send-keys C-c; ended 0
for how in TERM:0 HUP:0 QUIT:131 SEGV:139; do
	[ $how != SEGV:139 ] || [ "$PT_VARIANT" = plain ] || continue	# the sanitizer has that signal
	begin 80 24 -d 0.5 -p $target; shows '[.] hot'
	kill -"${how%:*}" "$(pgrep -f "^pt-top -d 0.5 -p $target")"
	ended "${how#*:}"
done

# A recording stays on the screen; a signal ends it there, too.
pt-record -F 999 --call-graph fp -p $target --for 1 -o top-$$.data > /dev/null 2>&1
begin 80 24 top-$$.data; shows ', ended'; shows '[.] hot'
tm send-keys a; shows 'Code of'; tm send-keys q q; ended 0
begin 80 24 top-$$.data; shows '[.] hot'; kill -TERM "$(pgrep -f "^pt-top top-$$.data")"; ended 143
# Several events.
begin 120 24 -d 0.5 -e cpu-clock,task-clock -p $target; shows 'samples of cpu-clock'; tm send-keys e; shows 'samples of task-clock'; tm send-keys q; ended 0
# A command that prints and reads: the screen and the keys are not its own.
cat > noisy.sh <<'S'
read -r key && echo "GOT $key"
(for i in $(seq 100); do sleep 0.1; echo NOISE; echo NOISE >&2; done) &
exec ./topprog
S
begin 80 24 -d 0.5 -- sh noisy.sh; shows '[.] hot'; sleep 0.5; screen | grep -q NOISE && fail "the command is on the screen: $(screen)"; tm send-keys '?'; shows 'Keys'; tm send-keys q; shows '[.] hot'; tm send-keys q; shows STATUS; shows SAME
# A terminal that is not known.
begin 80 24 top-$$.data ';' TERM=nonsense pt-top -d 1; shows '[.] hot'; tm send-keys q; shows "STATUS 1"
has "what is wrong with it" "$(cat err)" "--text"
tm kill-server

# Side by side: on terminals of their own, as text and as folded lines.
on_terminal() { TERM=xterm script -qec "stty rows 24 cols 80; pt-top -p $target $2" "$1" > /dev/null < /dev/null; }
pids=
on_terminal typescript "-d 0.2 --for 4" & pids="$pids $!"
on_terminal colours "-F 999 -d 0.5 --for 4" & pids="$pids $!"
NO_COLOR=1 on_terminal plain "-F 999 -d 0.5 --for 4" & pids="$pids $!"
runs 0 pt-top --folded -d 0.5 -g -F 499 -p $target --for 3 > folded 2> folded.err & pids="$pids $!"
runs 0 pt-top -d 0.5 -p $target --for 2 > refreshes 2> refreshes.err & pids="$pids $!"
runs 0 pt-top --text -d 1 -p $target --for 2.5 > first 2> first.err & pids="$pids $!"
for pid in $pids; do wait "$pid" || exit 1; done

# What a refresh sends is bounded; colours only where they are wanted.
at_most "bytes sent in 20 refreshes of 24 lines" "$(stat -c %s typescript)" 20000
grep -q $'\e\[31m' colours || fail "no colour: $(cat -v colours)"
grep -q $'\e\[3[0-9]m' plain && fail "colour in spite of NO_COLOR"

# Text: for pipes, also without being asked for it; the same as pt-stack at the same time.
pt-stack -F 1999 -p $target --for 3 > stacks 2> /dev/null & other=$!
runs 0 pt-top --text --window 0 -F 1999 -n -s sym -E 3 -p $target --for 3 > out 2> err
wait $other
mine=$(grep -F '[.] hot' out | tail -1 | awk '{ print $2 }')
others=$(awk '/;hot [0-9]+$/ { n += $NF } END { print n }' stacks)
awk -v a="$mine" -v b="$others" 'BEGIN { exit !(a > 50 && a > 0.9 * b && a < 1.1 * b) }' || fail "samples of hot: $mine, pt-stack has $others"
# Folded lines: each refresh has its own samples, so that all together are the session's.
at_least "refreshes" "$(grep -c '^# .* samples of' folded)" 4
mine=$(awk '!/^#/ { n += $NF } END { print n }' folded) heads=$(tr -d , < folded | awk '/^#/ { n += $2 } END { print n }')
at_least "samples" "$mine" 50
equal "samples of the lines, and as each refresh says" "$mine" "$heads"
grep -q '^topprog;.*main;outer;hot [0-9]*$' folded || fail "folded: $(head -3 folded)"
pt-flame folded > flame.svg 2> err || fail "pt-flame does not read it: $(cat err)"
at_least "refreshes" "$(grep -c '^# .* samples of' refreshes)" 3
has "how long is shown, before the window is full" "$(cat first)" " in 1 s"
pt-top -d 0.2 -p $target 2> err | head -1 > /dev/null
equal "closed pipe" "${PIPESTATUS[0]}" 141
runs 0 pt-top --text top-$$.data > out 2> err
has "a recording as text" "$(cat out)" '[.] hot'
runs 0 pt-top -I 200 -o intervals -p $target --for 1 2> err
at_least "refreshes in a file" "$(grep -c '^# .* samples of' intervals)" 3
