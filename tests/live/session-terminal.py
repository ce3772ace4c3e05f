"""Ctrl-C on a terminal reaches the command and the watcher: the command may finish in its own way, and its status is the watcher's."""
import os, pty, select, sys, time

def run(argv, keys):
    """Runs argv on a terminal; keys: (text to wait for, what to type then). Returns what was said and the exit status."""
    pid, fd = pty.fork()
    if not pid:
        os.execvp(argv[0], argv)
    said, keys, end = b"", list(keys), time.time() + 300
    while time.time() < end:
        if select.select([fd], [], [], 1)[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:
                break
            if not data:
                break
            said += data
        if keys and keys[0][0] in said:
            os.write(fd, keys.pop(0)[1])
    _, status = os.waitpid(pid, 0)
    return said.decode(errors="replace"), os.waitstatus_to_exitcode(status)

def check(what, ok, said):
    if not ok:
        sys.exit(f"FAILED: {what}: {said!r}")

ctrl_c = b"\x03"
# The command takes its time after Ctrl-C, and ends with a status of its own.
said, status = run(["watch", "-e", "cpu-clock", "--", "sh", "-c", 'trap "echo finishing; sleep 0.5; echo finished; exit 5" INT; echo ready; while :; do sleep 0.05; done'],
                   [(b"ready", ctrl_c)])
check("the command's own end", status == 5 and "finished" in said and "records" in said and "child 1" in said, (said, status))
# One that does nothing about it is ended by it.
said, status = run(["watch", "-e", "cpu-clock", "--", "sh", "-c", "echo ready; exec sleep 1000"], [(b"ready", ctrl_c)])
check("the command dies of it", status == 130 and "records" in said, (said, status))
# A command that ignores it does not hold us for ever: the second time is meant for us.
said, status = run(["watch", "-e", "cpu-clock", "--", "sh", "-c", 'trap "" INT; echo ready; while :; do sleep 0.05; echo again; done'],
                   [(b"ready", ctrl_c), (b"again\r\nagain", ctrl_c)])
check("the second Ctrl-C", "records" in said and "child 0" in said, (said, status))
# Without a command the first is enough.
said, status = run(["watch", "-p", str(os.getpid()), "-e", "cpu-clock"], [(b"watching", ctrl_c)])
check("without a command", status == 0 and "records" in said, (said, status))
print("ok")
