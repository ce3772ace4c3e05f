# Unwind rows by Go's own table, beside those of the .debug_frame that its linker writes: at every byte of the code of a Go program, of this machine's CPU and of arm64.
. "$PT_TOP/tests/lib.sh"
need go
cat > hello.go <<'G'
package main

import (
	"fmt"
	"os"
	"sort"
)

func main() {
	sort.Strings(os.Args)
	fmt.Println(os.Args)
}
G
export HOME="$PWD" GO111MODULE=off GOCACHE="$PWD/cache" GOFLAGS=
for arch in amd64 arm64; do
	GOARCH=$arch go build -ldflags=-compressdwarf=false -o "$arch" hello.go 2> err || fail "go build for $arch: $(cat err)"
	LC_ALL=C sed 's/\.gopclntab\x00/.nopclntab\x00/' "$arch" > "$arch.frames"
	LC_ALL=C sed 's/\.debug_frame\x00/.nebug_frame\x00/' "$arch" > "$arch.table"
	runs 0 "$PT_TOOLS/go-rows" "$arch.table" "$arch.frames" > out
	at_least "bytes of code: $(tail -3 out)" "$(sed -n 's/ bytes of code.*//p' out)" 100000
done
