# examples/fork-cost.sh: what fork costs grows with the memory that a process holds; its table and its pictures are there.
. "$PT_TOP/tests/lib.sh"
runs 0 "$PT_TOP/examples/fork-cost.sh" 10 100 > out 2> err
equal "sizes" "$(awk 'NR > 1 { print $1 }' out | xargs)" "0 25 50 75 100"
awk 'NR == 2 { kernel_ms = $3; clone_us = $4 } END { exit !(NR == 6 && $3 > kernel_ms && $4 > 2 * clone_us) }' out || fail "the largest is not the slowest: $(cat out)"
for picture in fork-stacks fork-grown fork-clone; do
	has "$picture.svg" "$(head -c 300 $picture.svg)" "<svg"
	has "$picture.svg" "$(tail -c 100 $picture.svg)" "</svg>"
done
