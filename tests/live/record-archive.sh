# variants: plain san
# --archive: what samples hit is kept beside the recording, so that the same names are found where the files are gone.
. "$PT_TOP/tests/lib.sh"
need_root; need gcc objcopy
export PT_CACHE=off

cat > p.c <<'END'
static inline int inlined(int i) { return i * 31 ^ i >> 3; }
static int __attribute__((noinline)) work(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += inlined(i); return s; }
int main(void) { int s = 0; for (int i = 0; i < 40; i++) s += work(2000000); return s == 1; }
END
gcc -g -O1 -Wl,--build-id -o prog p.c && objcopy --only-keep-debug prog prog.debug && objcopy --strip-all --add-gnu-debuglink=prog.debug prog || fail "the program cannot be built"
pt-record -g -e cpu-clock --archive -o a.data -- ./prog 2> err || fail "pt-record: $(cat err)"
has "what it says" "$(cat err)" "files in a.data.archive ]"
report() { pt-report --no-children -s sym a.data 2> /dev/null; pt-stack a.data 2> /dev/null | LC_ALL=C sort; }
report > here
has names "$(cat here)" "work"
has "inlined functions" "$(cat here)" "inlined"
# The program's work(), not the kernel's process_one_work().
named() { grep -qE '\[\.\] work( |$)|;work[ ;]' there; }
cp here there
named || fail "work() has no name here: $(cat here)"
# Each is in there by its build-id, and is what was there.
is_there() { for f in a.data.archive/.build-id/*/*/elf; do cmp -s "$f" "$1" && return 0; done; return 1; }
is_there prog || fail "the program is not in the archive"
at_least "debug files" "$(ls a.data.archive/.build-id/*/*/debug | wc -l)" 1

mkdir gone; mv prog prog.debug gone
report > there
same_file "names by the archive" here there
mv a.data.archive other.archive
report > there
! named || fail "names come from somewhere else"
mv other.archive a.data.archive
# Files of another build are not taken for it, and damaged ones harm nobody.
for f in a.data.archive/.build-id/*/*/elf; do head -c 1000 /bin/sh > "$f"; done
report > there
! named || fail "a damaged file has names"

# Many files have one archive, which is used with one of them, all of them and their folder.
mkdir many
pt-record -g -e cpu-clock --archive --rotate 100ms --keep 3 -o many/w -- bash -c 'for i in {1..8}; do gone/prog; done' 2> err || fail "pt-record: $(cat err)"
has "what it says" "$(cat err)" "files in many/w.archive ]"
equal "archives" "$(ls -d many/*.archive)" many/w.archive
at_least "files that are kept" "$(ls many | grep -c Z$)" 2
mv gone gone.too
# shellcheck disable=SC2086
names_of() { pt-report --no-children -s sym $1 > there 2> err || fail "$1: $(cat err)"; grep -q inlined there; }
named=0
for r in many/*Z; do if names_of "$r"; then named=$((named + 1)); fi; done	# not each: the program may not have run in one
at_least "files whose samples have names" $named 1
for r in many "$(echo many/*)"; do names_of "$r" || fail "$r: no names in $(cat there)"; done
cp -r many/w.*Z .
pt-report --no-children -s sym w.*Z > there 2> /dev/null
case $(cat there) in *inlined*) fail "names come from somewhere else" ;; esac
pt-record -q -e cpu-clock --archive --snapshot -o snap -- gone.too/prog 2> err || fail "pt-record: $(cat err)"
mv gone.too gone
has "names of a snapshot" "$(pt-report --no-children -s sym snap.*Z 2> /dev/null)" inlined
# The kernel's symbols of an archive are read only if they are a file of root's or ours.
mv a.data.archive/kallsyms symbols
echo '0000000000000000 T _text
ffffffff81000000 T somebody_else' > forged; chown "$nobody" forged
mkfifo pipe
for f in forged pipe /dev/zero; do
	rm -f a.data.archive/kallsyms
	case $f in /*) ln -s "$f" a.data.archive/kallsyms ;; *) mv "$f" a.data.archive/kallsyms ;; esac
	timeout 30 pt-report --no-children -s sym a.data > there 2> err || fail "kallsyms: $f: status $?"
	case $(cat there) in *somebody_else*) fail "the kernel's symbols are somebody else's" ;; esac
done
rm a.data.archive/kallsyms
# Nothing is written where another user, or a link, wants it.
mkdir there.dir
for f in link other; do
	rm -rf b.data b.data.archive
	if [ $f = link ]; then ln -s there.dir b.data.archive; else mkdir b.data.archive; chown "$nobody" b.data.archive; fi
	runs 1 pt-record -q -e cpu-clock --archive -o b.data -- true > out 2> err
	has "an archive of $f" "$(cat err)" "--archive: b.data.archive is no directory of this user"
	equal "what is written there" "$(ls -A there.dir b.data.archive/ | grep -c build)" 0
done

runs 2 pt-record --archive -o - -e cs -- true > out 2> err
has "a stream" "$(cat err)" "--archive is for files of perf.data's format, not for -o -"
