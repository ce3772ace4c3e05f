# Where a recording goes on with another file: each event is in one file, once. A program numbers its system calls, so that one that is missing or there twice is seen.
. "$PT_TOP/tests/lib.sh"
need_root; need gcc python3; need_events syscalls:sys_enter_write
cat > numbers.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static char text[1 << 20];
int main(int argc, char **argv)	/* writes of 1, 2, 3 ... bytes to descriptor 77, until its file is there; prints how many */
{
	long n = 0;
	struct timespec nap = { 0, 1000000 };
	if (dup2(open("/dev/null", O_WRONLY), 77) != 77) return 1;
	while (access(argv[argc - 1], F_OK) && n + 50 < (long)sizeof(text)) {
		for (int i = 0; i < 50; i++) if (write(77, text, ++n) < 0) return 1;
		nanosleep(&nap, NULL);
	}
	printf("%ld\n", n);
	return 0;
}
C
gcc -O1 -o numbers numbers.c || fail gcc
cat > check.py <<'P'
# The numbers in all files of a folder are 1 to N, and read as one they come in order. Prints how many seams there are, or what is wrong.
import json, os, subprocess, sys
want, folder = int(sys.argv[1]), sys.argv[2]
def numbers(path):
    text = subprocess.run(["pt-script", "-j", path], capture_output=True, text=True, check=True).stdout
    return [json.loads(line)["fields"]["count"] for line in text.splitlines() if '"event"' in line]
files = [os.path.join(folder, f) for f in sorted(os.listdir(folder))]
each, all_of_them = sorted(n for f in files for n in numbers(f)), list(range(1, want + 1))
if each != all_of_them:
    print(len(files), "files have", len(each), "of", want, "- twice:", [n for n, m in zip(each, each[1:]) if n == m][:20],
          "missing:", sorted(set(all_of_them) - set(each))[:20])
    sys.exit(1)
if numbers(folder) != all_of_them:
    sys.exit(print("read as one, they are not in order") or 1)
print(len(files) - 1)
P
# seams LEAST OPTION...: so many seams or more
seams() {
	local least=$1 n; shift
	rm -rf r enough; mkdir r
	background until_true 60 eval '[ "$(ls r | wc -l)" -gt '"$least"' ] && touch enough'
	pt-record -q "$@" -e syscalls:sys_enter_write --filter 'fd == 77' -o r/w -- ./numbers enough > n 2> err || fail "$*: $(cat err)"
	empty "$*: what it says" err
	n=$(python3 check.py "$(cat n)" r) || fail "$*: $n"
	at_least "$*: seams" "$n" "$least"
}
seams 8 --rotate 100ms
seams 8 --rotate 20K
seams 8 --rotate 100ms -a --ring tracefs
seams 8 --rotate 100ms -z
