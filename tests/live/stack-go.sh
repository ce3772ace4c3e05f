# Go programs without symbols: names, lines and whole stacks by the table that they carry, deeper than the copy of the stack, position-independent and linked with C; by probes, too.
. "$PT_TOP/tests/lib.sh"
need go gcc
need_root
cat > spin.go <<'G'
package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

//go:noinline
func inner(n uint64) uint64 {
	x := n
	for i := uint64(0); i < 1000; i++ {
		x = x*2862933555777941757 + i
	}
	return x
}

func inlined(n uint64) uint64 { return inner(n) + 1 }

//go:noinline
func middle(n uint64) uint64 { return inlined(n) + 1 }

//go:noinline
func deep(depth int, n uint64) uint64 {
	var room [64]uint64
	room[n%64] = n
	if depth == 0 {
		return middle(n)
	}
	return deep(depth-1, n) + room[(n+1)%64]
}

// The seconds of CPU time that this program has used.
func used() float64 {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func main() {
	seconds, _ := strconv.ParseFloat(os.Args[1], 64)
	done := make(chan uint64)
	go func() {
		var sum uint64
		for used() < seconds {
			for i := 0; i < 100; i++ {
				sum += deep(60, sum)
			}
		}
		done <- sum
	}()
	fmt.Println(<-done)
}
G
sed 's/^import (/import "C"\n&/' spin.go > cgo.go
export HOME="$PWD" GO111MODULE=off GOCACHE="$PWD/cache" GOFLAGS=
go build -ldflags="-s -w" -o spin spin.go && go build -buildmode=pie -ldflags="-s -w" -o pie spin.go && go build -ldflags="-s -w -linkmode=external" -o cgo cgo.go || fail "go build"
# note FILE WORD: a number of the note in front of folded lines
note() { sed -n "1s/.*$2 \([0-9]*\).*/\1/p" "$1"; }
whole='runtime.goexit;main.main.func1;\(main.deep;\)\{61\}main.middle;main.inlined;main.inner '
for program in spin pie cgo; do
	runs 0 pt-stack -F 499 -- ./$program 1 > out 2> err
	samples=$(note out samples)
	at_least "$program: samples" "$samples" 100
	at_most "$program: truncated of $samples: $(cat err)" "$(note out truncated)" $((samples / 50 + 1))
	at_most "$program: unresolved: $(cat err)" "$(note out unresolved)" $(($(note out of) / 50))
	at_least "$program: whole stacks" "$(grep "^$program;$whole" out | awk '{ s += $NF } END { print s + 0 }')" $((samples / 4))
done
runs 0 pt-record -q -F 499 --call-graph dwarf,65528 -o data -- ./spin 0.5 > none 2> err
runs 0 pt-stack data > out 2> err
at_least "recorded: whole stacks: $(head -3 out)" "$(grep -c "^spin;$whole" out)" 1
runs 0 pt-report -s srcline data > out 2> err
has "lines" "$(cat out)" "spin.go:14"
runs 0 pt-annotate data main.inner > out 2> err
has "the source beside the instructions" "$(cat out)" "x = x*2862933555777941757 + i"
runs 0 pt-probe -x ./spin -F 'main.*' > out
equal "functions" "$(tr '\n' ' ' < out)" "main.deep main.inner main.main main.main.func1 main.middle main.used "
event=$(pt-probe -x ./spin "go_$$=main.middle") || fail "no probe at a Go function"
pt-stat -x , -e "$event" -- ./spin 0.2 > none 2> out
runs 0 pt-probe -q -d "$event"
at_least "calls: $(cat out)" "$(awk -F, -v e="$event" '$3 == e { print $1 + 0 }' out)" 10
