#!/usr/bin/env python3
"""tracelines.py PT STRACE...: lines of pt-trace (one file) beside those of strace -ff, task by task, in order."""
import collections
import re
import sys


def plain(line):
    """One blank before the result, whatever the column."""
    return re.sub(r'\) +(= )', r') \1', line.rstrip('\n'))


def strace_lines(paths):
    tasks = {}
    for path in paths:
        with open(path, encoding='latin-1') as lines:
            tasks[int(path.rsplit('.', 1)[1])] = [plain(line) for line in lines]
    return tasks


def pt_lines(path):
    tasks = collections.defaultdict(list)
    with open(path, encoding='latin-1') as lines:
        for line in lines:
            task = re.match(r'(?:\[pid +)?(\d+)\]? +(.*)', line)
            if task:
                tasks[int(task[1])].append(plain(task[2]))
    return tasks


def begin(mine, theirs):
    """strace's own child, before it is the program, is no business of strace's."""
    if theirs and theirs[0].startswith('execve('):
        for i, line in enumerate(mine):
            if line.startswith('execve('):
                return mine[i:]
    return mine


def main():
    mine, theirs = pt_lines(sys.argv[1]), strace_lines(sys.argv[2:])
    wrong = collections.Counter()
    total = 0
    for task, lines in sorted(theirs.items()):
        have = begin(mine.get(task, []), lines)
        total += len(lines)
        for i in range(max(len(have), len(lines))):
            a = have[i] if i < len(have) else '(nothing)'
            b = lines[i] if i < len(lines) else '(nothing)'
            if a != b:
                call = re.match(r'\w+', b)
                key = call[0] if call else b[:12]
                wrong[key] += 1
                if wrong[key] <= 3:
                    print(f'{task}:{i}\n  pt      {a}\n  strace  {b}')
            if a.split('(')[0] != b.split('(')[0]:
                print(f'{task}: out of step')
                break
    print(f'{len(theirs)} tasks, {total} lines, {sum(wrong.values())} differ', dict(wrong))
    return bool(wrong) or not total


sys.exit(main())
