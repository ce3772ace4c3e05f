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
# Each is in there by its build-id, and is what was there.
is_there() { for f in a.data.archive/.build-id/*/*/elf; do cmp -s "$f" "$1" && return 0; done; return 1; }
is_there prog || fail "the program is not in the archive"
at_least "debug files" "$(ls a.data.archive/.build-id/*/*/debug | wc -l)" 1

mkdir gone; mv prog prog.debug gone
report > there
same_file "names by the archive" here there
mv a.data.archive other.archive
report > there
case $(cat there) in *work*) fail "names come from somewhere else" ;; esac
mv other.archive a.data.archive
# Files of another build are not taken for it, and damaged ones harm nobody.
for f in a.data.archive/.build-id/*/*/elf; do head -c 1000 /bin/sh > "$f"; done
report > there
case $(cat there) in *work*) fail "a damaged file has names" ;; esac

runs 2 pt-record --archive -o - -e cs -- true > out 2> err
has "a stream" "$(cat err)" "--archive is for one file of perf.data's format, not for -o -"
