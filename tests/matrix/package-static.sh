# `make static`: the tools run where there is nothing else, no library, no /etc, and say what they cannot do.
. "$PT_TOP/tests/lib.sh"
need_root; need make unshare readelf
unshare -m true 2> /dev/null || skip "no mounts of its own are allowed here"
mkdir work; echo mine > work/file	# in the folder of the packages: it stays
"$PT_TOP/scripts/package" none "$(sed -n 's/^VERSION := //p' "$PT_TOP/Makefile")" . 2> err && fail "a package of no kind"
has "what is said of it" "$(cat err)" "none is none of deb, rpm, static"
equal "a file in the folder of the packages" "$(cat work/file)" mine
equal "files that are left there" "$(ls | xargs)" "err work"
CFLAGS=-O0 make -C "$PT_TOP" B="$PWD/b" static > log 2>&1 || { tail -20 log; fail "make static"; }
mkdir root
tar -xzf b/packages/pt-*.tar.gz -C root --strip-components=1 || fail "no archive"
for t in root/bin/*; do
	! readelf -lW "$t" | grep -q INTERP || fail "$t needs a loader"
done
mkdir root/proc root/sys root/tmp
cp "$PT_TOP/LICENSE" root/
alone() { unshare -m --propagation private sh -c 'mount -t proc proc root/proc; mount -t sysfs sysfs root/sys; exec chroot root "$@"' sh "$@"; }
alone /bin/pt-stat -e task-clock -- /bin/pt --version > out 2> err || fail "pt-stat: $(cat err)"
has "the command" "$(cat out)" "pt "
has "the count" "$(cat err)" task-clock
alone /bin/pt-record -e cpu-clock -o /tmp/x.data -- /bin/pt-doctor > doctor 2> err || fail "pt-record: $(cat err)"
has "what it is" "$(cat doctor)" "static: no debuginfod"
alone /bin/pt-report /tmp/x.data > out 2> err || fail "pt-report: $(cat err)"
has "the profile" "$(cat out)" pt-doctor
DEBUGINFOD_URLS=http://127.0.0.1:1 alone /bin/pt-report --debuginfod /tmp/x.data > out 2> err
has "debuginfod" "$(cat err)" "static tools cannot load the client"
alone /bin/pt-record -u nosuch -e cpu-clock -o /tmp/y.data 2> err && fail "a user that is not there"
has "users" "$(cat err)" "there is no user 'nosuch'"
