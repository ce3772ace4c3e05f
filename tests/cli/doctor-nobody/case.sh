# Without rights, and where /proc/sys or /sys are hidden too: everything is told, nothing fails.
need_root
need_tracefs
unshare -m true 2> /dev/null || skip "no mount namespaces here"
cp "$PT_BIN/pt-doctor" . && chmod 755 pt-doctor
setpriv --reuid 65534 --regid 65534 --clear-groups ./pt-doctor -q > text; echo "status $?"
grep -E '^limited +user ' text
# Some distributions let everybody list tracefs; its files are root's there, too.
grep -E '^missing +(tracefs|tracepoints) +-> ' text | sed 's/^missing *[a-z]* *//'
unshare -m sh -c 'mount -t tmpfs none /proc/sys && exec setpriv --reuid 65534 --regid 65534 --clear-groups ./pt-doctor -q' > hidden; echo "status $?"
grep -E ' paranoid ' hidden
unshare -m sh -c 'mount -t tmpfs none /sys && exec ./pt-doctor -q' > none; echo "status $?"
grep -E ' (tracefs|btf) ' none
