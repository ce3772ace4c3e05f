#!/bin/bash
# What does a cache miss cost? The same number of loads, one depending on the other, over ever larger memory; time and misses per load for each size.
# Where the machine shows no cache counters (many virtual ones do not), the times alone tell where each cache ends.
#     examples/stat-cache-misses.sh [LOADS]
set -eu
loads=${1:-2000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/chase.c" <<'C'
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	size_t n = strtoul(argv[1], NULL, 10) * 1024 / 64, i, j, t, *order = malloc(n * sizeof(*order));
	struct line { struct line *next; char rest[64 - sizeof(void *)]; } *lines = aligned_alloc(64, n * 64), *p;

	(void)argc;
	for (i = 0; i < n; i++)
		order[i] = i;
	for (i = n - 1; i > 0; i--) {		/* one ring in random order: nothing to prefetch */
		j = (size_t)random() % i;
		t = order[i], order[i] = order[j], order[j] = t;
	}
	for (i = 0; i < n; i++)
		lines[order[i]].next = &lines[order[(i + 1) % n]];
	for (p = lines, i = strtoul(argv[2], NULL, 10); i; i--)
		p = p->next;
	printf("%d", p == NULL);
	return 0;
}
C
cc -O2 -o "$work/chase" "$work/chase.c"
count() { pt-stat -x, -o "$work/$3" -e task-clock:u,cache-misses:u -- "$work/chase" "$1" "$2" > /dev/null; }
for kb in 16 64 256 1024 4096 16384 65536; do
	count $kb $loads with
	count $kb 1 without		# the set-up alone
	awk -F, -v kb=$kb -v loads="$loads" 'FNR == NR { if ($3 ~ /clock/) t = $1; else m = $1; next } { if ($3 ~ /clock/) t -= $1; else m2 = $1 }
		END { printf "%6d KB  %6.1f ns a load  %s\n", kb, t * 1e6 / loads, m ~ /^[0-9]/ ? sprintf("%5.2f misses a load", (m - m2) / loads) : "(cache-misses: " m ")" }' "$work/with" "$work/without"
done
