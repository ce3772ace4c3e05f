#!/bin/bash
# What do fork and exec cost a process that has much memory? A bash that holds 0 to 1,000 MB runs /bin/true 1,000 times.
#     examples/fork-cost.sh [RUNS [MB]]        # leaves fork-cost.txt, fork-stacks.svg, fork-grown.svg and fork-clone.svg in this directory
# The table has, for each size: wall and system time of a run, the median latency of clone and of execve, and the share of the samples that are in
# copy_page_range, where the kernel copies the page tables. The pictures: a flame graph of the largest size, what grew from the smallest to it, and the
# latency of each clone, size after size. Needs root, or what pt-doctor names.
set -eu
runs=${1:-1000} most=${2:-1000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkfifo "$dir/ctl" "$dir/ack"

# Holds $1 MB in variables, then runs. Only the runs are counted, if somebody listens.
cat > "$dir/work" <<'E2'
LC_ALL=C
tell() { [ ! "${control:-}" ] || { echo "$1" > "$dir/ctl"; read -r answer < "$dir/ack"; }; }
printf -v piece '%1000000s' ''
for ((i = 0; i < $1; i++)); do held[i]=$piece; done
tell enable
for ((i = 0; i < runs; i++)); do /bin/true; done
tell disable
E2
export dir runs
control="fifo:$dir/ctl,$dir/ack"
sizes=$(for quarter in 0 1 2 3 4; do echo $((most * quarter / 4)); done)

# share NAME < FOLDED: the percentage of samples with NAME in the stack
share() { awk -v name=";$1" '!/^#/ { all += $NF; if (index($0, name)) in_it += $NF } END { printf "%.0f", all ? 100 * in_it / all : 0 }'; }

printf '%6s %9s %10s %9s %10s %10s\n' MB wall-ms system-ms clone-us execve-us copying-% > fork-cost.txt
for mb in $sizes; do
	control=1 pt-stat -x, -o "$dir/stat" -D -1 --control "$control" -e duration_time,system_time bash "$dir/work" "$mb"
	control=1 pt-stack -F 999 -D -1 --control "$control" -- bash "$dir/work" "$mb" > "$dir/$mb.folded"
	pt-lat --syscall=clone,execve -- bash "$dir/work" "$mb" > "$dir/$mb.lat"
	awk -v runs="$runs" -v mb="$mb" -v copying="$(share copy_page_range < "$dir/$mb.folded")" -v medians="$(for call in clone execve; do
		awk -v call=$call '$0 !~ /^#/ && index($0, call) { print $2 }' "$dir/$mb.lat" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
	done | xargs)" -F, '
		$3 == "duration_time" { wall = $1 } $3 == "system_time" { kernel = $1 }
		END { split(medians, m, " "); printf "%6d %9.2f %10.2f %9.0f %10.0f %10s\n", mb, wall / runs / 1e6, kernel / runs / 1e6, m[1], m[2], copying }' "$dir/stat" >> fork-cost.txt
done
cat fork-cost.txt

pt-flame --title "fork and exec with $most MB" "$dir/$most.folded" > fork-stacks.svg
pt-diff "$dir/0.folded" "$dir/$most.folded" | pt-flame > fork-grown.svg
for mb in $sizes; do cat "$dir/$mb.lat"; done | grep -w clone | pt-heatmap --title "clone, 0 to $most MB" > fork-clone.svg
