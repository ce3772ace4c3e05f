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

# Many files have one archive, which is used with one of them, all of them and their folder.
mkdir many
pt-record -g -e cpu-clock --archive --rotate 100ms --keep 3 -o many/w -- bash -c 'for i in 1 2 3 4 5; do gone/prog; done' 2> err || fail "pt-record: $(cat err)"
has "what it says" "$(cat err)" "files in many/w.archive ]"
equal "archives" "$(ls -d many/*.archive)" many/w.archive
at_least "files that are kept" "$(ls many | grep -c Z$)" 2
mv gone gone.too
for r in "$(ls -S many/*Z | head -n 1)" many "$(echo many/*)"; do
	# shellcheck disable=SC2086
	pt-report --no-children -s sym $r > there 2> err || fail "$r: $(cat err)"
	has "names of $r" "$(cat there)" inlined
done
cp -r many/w.*Z .
pt-report --no-children -s sym w.*Z > there 2> /dev/null
case $(cat there) in *inlined*) fail "names come from somewhere else" ;; esac
pt-record -q -e cpu-clock --archive --snapshot -o snap -- gone.too/prog 2> err || fail "pt-record: $(cat err)"
mv gone.too gone
has "names of a snapshot" "$(pt-report --no-children -s sym snap.*Z 2> /dev/null)" inlined

runs 2 pt-record --archive -o - -e cs -- true > out 2> err
has "a stream" "$(cat err)" "--archive is for files of perf.data's format, not for -o -"
