#!/bin/bash
# Where do many machines spend their time, which of them has slow disks, and what do they count? One flame graph, one pprof file and one table of all.
#     examples/fleet.sh [-s SECONDS] HOST...           by GNU parallel over ssh, as root or a user that pt-doctor lets profile
#     srun --ntasks-per-node=1 examples/fleet.sh -1 DIR; examples/fleet.sh -m DIR       under Slurm: each node into a shared folder, then together
# The tools must be on PATH there. Leaves a folder fleet/ with a folder for each machine, and there fleet.svg (the machine's name is the first frame),
# fleet.pb.gz and fleet.txt. A machine that cannot be reached is named, and the others are shown; the exit status is then 1.
set -eu
seconds=10 out=fleet one= merge=
while getopts s:o:1:m: option; do
	case $option in
	s) seconds=$OPTARG ;;
	o) out=$OPTARG ;;
	1) one=$OPTARG ;;
	m) merge=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

# What runs on each machine; its folder is $1.
watch_machine() {
	local dir=$1 seconds=$2
	mkdir -p "$dir"
	pt-stack -F 99 -a --for "$seconds" > "$dir/stacks" 2> "$dir/stacks.err" &
	pt-lat --block --buckets --by op -a --for "$seconds" > "$dir/requests" 2> "$dir/requests.err" &
	pt-stat -a -x, -o "$dir/counts" -e context-switches,cpu-migrations,page-faults --for "$seconds" &
	wait
}
export -f watch_machine

# Over ssh: the folder comes back as a tar file. Only the text of its files is taken, no links, modes or other files.
fetch() {
	local host=$1 seconds=$2 dir=$3
	mkdir -p "$dir"
	ssh -o BatchMode=yes -o ConnectTimeout=10 "$host" "bash -c '$(declare -f watch_machine); d=\$(mktemp -d) && watch_machine \$d $seconds && tar -C \$d -cf - . && rm -rf \$d'" |
		cat > "$dir/tar"
	for file in stacks stacks.err requests requests.err counts; do tar -xOf "$dir/tar" "./$file" > "$dir/$file"; done 2> /dev/null
	rm "$dir/tar"
	[ -s "$dir/stacks" ] || { rm -rf "$dir"; echo "fleet: $host: no answer, or pt cannot profile there" >&2; return 1; }
}
export -f fetch

status=0
if [ "$one" ]; then
	watch_machine "$one/$(hostname)" "$seconds"
	exit
elif [ "$merge" ]; then
	out=$merge
else
	[ $# -gt 0 ] || { sed -n '3,4s/^# *//p' "$0" >&2; exit 2; }
	for host; do	# it becomes an argument of ssh, and a folder that is removed if there is no answer
		case $host in -*|.*|*[!A-Za-z0-9@._:%-]*) echo "fleet: $host: no name of a machine" >&2; exit 2 ;; esac
	done
	parallel --jobs 0 fetch {} "$seconds" "$out/{}" ::: "$@" || status=1
fi

machines=$(cd "$out" && for dir in [A-Za-z0-9]*/; do [ ! -s "$dir/stacks" ] || echo "${dir%/}"; done | grep -x '[A-Za-z0-9@._:%-]*') || :
[ "$machines" ] || { echo "fleet: no machine answered" >&2; exit 1; }
for machine in $machines; do
	awk -v machine="$machine" '!/^#/ { print machine ";" $0 }' "$out/$machine/stacks"
done > "$out/fleet.folded"
if [ -s "$out/fleet.folded" ]; then
	pt-flame --title "$(echo "$machines" | wc -l) machines, $seconds s" "$out/fleet.folded" > "$out/fleet.svg"
	pt-convert --to pprof -o "$out/fleet.pb.gz" "$out/fleet.folded"
else
	echo "fleet: all machines were idle: there is no picture" >&2
fi
{
	printf '%-20s %12s %12s %12s %12s\n' machine busy-CPUs switches/s migrations/s faults/s
	for machine in $machines; do
		busy=$(awk -v s="$seconds" '!/^#/ { n += $NF } END { print n / 99 / s }' "$out/$machine/stacks")	# samples of idle CPUs are left out
		awk -F, -v machine="$machine" -v s="$seconds" -v busy="$busy" '{ v[$3] = $1 }
			END { printf "%-20s %12.2f %12.0f %12.0f %12.0f\n", machine, busy, v["context-switches"] / s, v["cpu-migrations"] / s, v["page-faults"] / s }' "$out/$machine/counts"
	done
	echo; echo "requests of disks, all machines, by operation"
	(cd "$out" && for machine in $machines; do printf '%s/requests\0' "$machine"; done | xargs -0 pt-lat --merge)
} > "$out/fleet.txt"
cat "$out/fleet.txt"
exit $status
