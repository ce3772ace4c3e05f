"""The line of progress: on a terminal only, after a second, and gone before anything else is written there."""
import os, pty, re, select, subprocess, sys, time

def on_terminal(command):
    """What the shell's command writes to a terminal, and its status."""
    pid, fd = pty.fork()
    if not pid:
        os.execvp("sh", ["sh", "-c", command])
    said, end = b"", time.time() + 120
    while time.time() < end:
        if select.select([fd], [], [], 1)[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:
                break
            if not data:
                break
            said += data
    os.close(fd)        # ends a command that still writes
    _, status = os.waitpid(pid, 0)
    return said.decode(errors="replace"), os.waitstatus_to_exitcode(status)

def check(what, ok, said):
    if not ok:
        sys.exit(f"FAILED: {what}: {said!r}")

LINE = r"\r(pt-[a-z]+): (\d+) s, ([\d,]+) samples, (?:[\d.]+ MB, )?[\d,]+ lost; Ctrl-C ends\x1b\[K"
CLEARED = "\r\x1b[K"

for command in ("pt-record -a -F 99 --for 3.5 -o progress.data", "pt-stack -a -F 99 --for 3.5 > stacks",
                "pt-schedlat -a --for 3.5", "pt-lat --sched -a --for 3.5 > lines"):
    said, status = on_terminal(command)
    lines = re.findall(LINE, said)
    check(command, status == 0 and len(lines) >= 2, said)
    seconds = [int(line[1]) for line in lines]
    check(f"{command}: seconds", seconds[0] in (1, 2) and seconds == sorted(seconds), said)
    after = said[said.rindex("Ctrl-C ends\x1b[K") + len("Ctrl-C ends\x1b[K"):]
    check(f"{command}: cleared", after.startswith(CLEARED) and "Ctrl-C" not in after, said)
# Others write to the terminal: the command, or the tool itself, line by line.
for command in ("pt-record -o progress.data -- sleep 2.5", "pt-record -q -a --for 2.5 -o progress.data", "pt-record -a --for 2.5 -o progress.data 2> said",
                "pt-script -e cpu-clock/freq=49/ -- timeout -s KILL 3 sh -c 'while :; do :; done'; test $? = 137"):
    said, status = on_terminal(command)
    shown = re.findall(LINE, said)
    check(command, status == 0 and len(shown) <= ("pt-script" in command), said)
done = subprocess.run("pt-record -a --for 2.5 -o progress.data", shell=True, stderr=subprocess.PIPE, text=True)
check("into a pipe", done.returncode == 0 and "Ctrl-C" not in done.stderr, done.stderr)
print("ok")
