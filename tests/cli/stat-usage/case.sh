# What pt-stat says about wrong usage, before a command is started; and statuses that pass through.
try() { echo "\$ $*"; "$@" 2>&1; echo "status $?"; }
try pt-stat -e context-swiches -- touch started
try pt-stat -x, -j -- touch started
try pt-stat -A -- touch started
try pt-stat --per-thread -- touch started
try pt-stat -r 3 -a
try pt-stat --interval-count 3 -- touch started
try pt-stat -n -e cs -- touch started
try pt-stat -M nix -- touch started
try pt-stat -n -M IPC -- touch started
try pt-stat --wide -M IPC -- touch started
pt-stat -M help | grep -c '^[a-zA-Z0-9_]* *[DT][a-zA-Z0-9]* *[a-z]'
try pt-stat -p 0
try pt-stat -e cs -G a,b -- touch started
try pt-stat -e '{cs,faults}' -G a,b -- touch started
try pt-stat -e cs --for-each-cgroup a,,b -- touch started
try pt-stat -G a --for-each-cgroup b -- touch started
try pt-stat -o no/such/file -e cs -- touch started
try pt-stat --control pipe:a -- touch started
try pt-stat --control fd:3, -- touch started
try pt-stat --control fifo:no-fifo -- touch started
touch a-file
try pt-stat --control fifo:a-file -- touch started
try pt-stat --control fd:99 -- touch started
try pt-stat -D -1 -- touch started
try pt-stat -D -2 -- touch started
try pt-stack --off-cpu --control fd:0 -- touch started
for word in record report; do try pt-stat $word -- touch started; done
try pt-stat -e cs -- ./not-there
printf '#!/no/such/interpreter\n' > bad; chmod +x bad
try pt-stat -e cs -- ./bad
[ ! -e started ] || echo "a command was started"
try pt-stat -q -e cs -- sh -c 'exit 7'
try pt-stat -q -e cs -- sh -c 'kill -9 $$'

# Counts are not lost to what comes after them.
pt-stat -x, -o - -e faults:u --post 'exit 3' -r 2 -- true 2> err | wc -l; echo "status ${PIPESTATUS[0]}"; cat err
