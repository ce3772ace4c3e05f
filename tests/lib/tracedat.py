#!/usr/bin/env python3
"""Makes a small trace.dat: tracedat.py FILE [v6|v7|zlib|guest|latency] [big] [long4] [tsc] [second] [lost]

It holds two CPUs with switches, functions, calls of functions, trace_printk() in its three forms and a stack, whatever machine and kernel this is.
Layout: trace-cmd.dat.v6(5), trace-cmd.dat.v7(5); pages: linux/ring_buffer.h."""
import struct
import sys
import zlib

out, words = sys.argv[1], sys.argv[2:]
big = 'big' in words
E = '>' if big else '<'
LONG = 4 if 'long4' in words else 8
L = 'I' if LONG == 4 else 'Q'
PAGE = 4096
HIGH = 0xc0000000 if LONG == 4 else 0xffffffff81000000
COMMON = [('unsigned short', 'common_type', 2, 0), ('unsigned char', 'common_flags', 1, 0), ('unsigned char', 'common_preempt_count', 1, 0), ('int', 'common_pid', 4, 1)]
UL = ('unsigned long', LONG, 0)


def pack(fmt, *values): return struct.pack(E + fmt, *values)


def form(name, number, fields, text):
    at, lines = 0, []
    for kind, field, size, sign in COMMON + fields:
        align = min(size, 8) if size and '[' not in field else LONG if 'long' in kind else 1
        at = (at + align - 1) // align * align
        lines.append(f'\tfield:{kind} {field};\toffset:{at};\tsize:{size};\tsigned:{sign};')
        if len(lines) == len(COMMON):
            lines.append('')
        at += size
    return f'name: {name}\nID: {number}\nformat:\n' + '\n'.join(lines) + f'\n\nprint fmt: {text}\n'


def long(name): return ('unsigned long', name, LONG, 0)


FTRACE = [
    form('function', 1, [long('ip'), long('parent_ip')], '" %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip'),
    form('funcgraph_entry', 11, [long('func'), ('int', 'depth', 4, 1)], '"--> %ps (%d)", (void *)REC->func, REC->depth'),
    form('funcgraph_exit', 10, [long('func'), ('int', 'depth', 4, 1), ('unsigned int', 'overrun', 4, 0), ('unsigned long long', 'calltime', 8, 0), ('unsigned long long', 'rettime', 8, 0)],
         '"<-- %ps (%d)", (void *)REC->func, REC->depth'),
    form('kernel_stack', 4, [('int', 'size', 4, 1), ('unsigned long', 'caller[8]', 8 * LONG, 0)], '"\\t=> %ps\\n", (void *)REC->caller[0]'),
    form('bprint', 6, [long('ip'), ('const char *', 'fmt', LONG, 0), ('u32', 'buf[]', 0, 0)], '"%ps: %s", (void *)REC->ip, REC->fmt'),
    form('print', 5, [long('ip'), ('char', 'buf[]', 0, 0)], '"%ps: %s", (void *)REC->ip, REC->buf'),
    form('bputs', 15, [long('ip'), ('const char *', 'str', LONG, 0)], '"%ps: %s", (void *)REC->ip, REC->str'),
]
SCHED = [form('sched_switch', 314, [('char', 'prev_comm[16]', 16, 0), ('int', 'prev_pid', 4, 1), ('int', 'prev_prio', 4, 1), ('int', 'next_pid', 4, 1), ('char', 'next_comm[16]', 16, 0)],
              '"%s:%d [%d] ==> %s:%d", REC->prev_comm, REC->prev_pid, REC->prev_prio, REC->next_comm, REC->next_pid')]
KALLSYMS = ''.join(f'{HIGH + 256 * i:x} T {name}\n' for i, name in enumerate(['outer', 'inner', 'leaf', 'caller', 'beyond']))
PRINTK = f'0x{HIGH + 0x10000:x} : "n %d hex %#llx [%5s] %c %p%%\\n"\n0x{HIGH + 0x10010:x} : "a constant text\\n"\n'
CMDLINES = '7 seven\n8 eight of them\n'


def raw(kind, pid, fmt='', *values): return pack('HBBi', kind, 0, 0, pid) + pack(fmt, *values)


def switch(prev, prev_pid, following, next_pid): return raw(314, prev_pid) + prev.encode().ljust(16, b'\0') + pack('iii', prev_pid, 120, next_pid) + following.encode().ljust(16, b'\0')


def function(pid, i, j): return raw(1, pid, L + L, HIGH + 256 * i, HIGH + 256 * j + 16)


def entry(pid, i, depth): return raw(11, pid, L + 'i', HIGH + 256 * i, depth)


def leave(pid, i, depth, start, end): return raw(10, pid, L + 'iI', HIGH + 256 * i, depth, 0) + (b'\0' * (4 if (LONG + 8) % 8 else 0)) + pack('QQ', start, end)


def stack(pid, *frames): return raw(4, pid, 'i', len(frames)) + (b'\0' * (LONG - 4)) + b''.join(pack(L, HIGH + 256 * f + 4) for f in frames)


def bprint(pid): return raw(6, pid, L + L, HIGH + 0x10, HIGH + 0x10000) + pack('iQ', -5, 0x123456789a) + b'abc\0' + b'x' + b'\0\0\0' + pack(L, HIGH + 0x77)


def printed(pid, text): return raw(5, pid, L, HIGH + 0x110) + text.encode() + b'\0'


def bputs(pid): return raw(15, pid, L + L, HIGH + 0x210, HIGH + 0x10010)


def page(start, events, lost=0):
    """events: (time, bytes)"""
    body, last = b'', start
    for time, data in events:
        data += b'\0' * (-len(data) % 4)
        delta, words4 = time - last, len(data) // 4
        last = time
        if words4 <= 28:
            head = words4 << 27 | delta if big else delta << 5 | words4
            body += pack('I', head) + data
        else:
            head = delta if big else delta << 5
            body += pack('II', head, len(data) + 4) + data
    commit = len(body)
    if lost:
        body += pack(L, lost)
        commit |= 3 << 30
    return (pack('Q' + L, start, commit) + body).ljust(PAGE, b'\0')


def data(base):
    us = 1000
    one = [(base + 1 * us, switch('seven', 7, 'eight of them', 8)), (base + 2 * us, function(8, 1, 0)), (base + 3 * us, function(8, 2, 1)), (base + 4 * us, stack(8, 2, 1, 0)),
           (base + 5 * us, printed(8, 'a line of a user\n')), (base + 6 * us, bprint(8)), (base + 7 * us, bputs(8)), (base + 8 * us, switch('eight of them', 8, 'new', 9))]
    two = [(base + 20 * us, entry(9, 0, 0)), (base + 21 * us, entry(9, 2, 1)), (base + 22 * us, leave(9, 2, 1, base, base + 1234)), (base + 25 * us, leave(9, 0, 0, base, base + 123456)),
           (base + 90 * us, switch('new', 9, 'swapper/1', 0))]
    lost = 5 if 'lost' in words else 0
    return [page(base, one) + page(base + 9 * us, [(base + 10 * us, printed(8, 'x' * 200))], lost), page(base, two)]


def sized(text, fmt='Q'): return pack(fmt, len(text)) + text.encode()


header_page = f'\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:{LONG};\tsigned:1;\n\tfield: char data;\toffset:{8 + LONG};\tsize:{PAGE - 8 - LONG};\tsigned:1;\n'
parts = [b'header_page\0' + sized(header_page) + b'header_event\0' + sized('# compressed entry header\n'),
         pack('I', len(FTRACE)) + b''.join(map(sized, FTRACE)), pack('I', 1) + b'sched\0' + pack('I', len(SCHED)) + b''.join(map(sized, SCHED)),
         sized(KALLSYMS, 'I'), sized(PRINTK, 'I'), sized(CMDLINES)]
version = b'7' if 'v7' in words or 'zlib' in words else b'6'
start = b'\x17\x08\x44tracing' + version + b'\0' + bytes([big, LONG]) + pack('I', PAGE)
options = [(4, b'local global [%s] boot\n\0' % (b'x86-tsc' if 'tsc' in words else b'mono')), (5, b'Linux host 6.1.0 x86_64\0'), (9, b'3.1.6\0'), (8, pack('I', 2))]
if 'tsc' in words:
    options += [(14, pack('IIQ', 3 << 10, 11, 0)), (7, b'1000000000\0')]
if 'guest' in words:
    options += [(12, pack('QII', 1, 0, 0))]
buffers = [('', data(10 ** 12))] + ([('second', data(10 ** 12 + 500))] if 'second' in words else [])


def option(number, content): return pack('HI', number, len(content)) + content


def pad(b): return b + b'\0' * (-len(b) % PAGE)


def v6():
    head = start + b''.join(parts) + pack('I', 2)
    if 'latency' in words:
        return head + b'latency  \0' + b'# tracer: irqsoff\n'
    tables = b''.join(option(3, pack('Q', 0) + name.encode() + b'\0') for name, _ in buffers[1:])
    size = len(head) + 10 + sum(6 + len(c) for _, c in options) + len(tables) + 2 + 10 + 32
    end = size + 42 * (len(buffers) - 1)
    at, spots, body = len(pad(b'\0' * end)), [], b''
    for _, cpus in buffers:
        spots.append(b'')
        for cpu in cpus:
            spots[-1] += pack('QQ', at + len(body), len(cpu))
            body += cpu
    tables = b''.join(option(3, pack('Q', size + 42 * i) + name.encode() + b'\0') for i, (name, _) in enumerate(buffers[1:]))
    head += b'options  \0' + b''.join(option(*o) for o in options) + tables + pack('H', 0) + b'flyrecord\0' + spots[0]
    assert len(head) == size
    return pad(head + b''.join(b'flyrecord\0' + s for s in spots[1:])) + body


def v7():
    packed = 'zlib' in words
    f = start + (b'zlib\0' if packed else b'none\0') + b'1\0' + pack('Q', 0)
    where, opts = len(f) - 8, list(options)

    def block(b): z = zlib.compress(b); return pack('II', len(z), len(b)) + z

    for i, part in enumerate(parts):
        opts.append((16 + i, pack('Q', len(f))))
        part = block(part) if packed else part
        f += pack('HHIQ', 16 + i, packed, 0, len(part)) + part
    for name, cpus in buffers:
        section, table = len(f), b''
        f = pad(f + pack('HHIQ', 3, packed, 0, 0))
        for i, cpu in enumerate(cpus):
            chunk = block(cpu) if packed else b''
            table += pack('IQQ', i, len(f), len(chunk) if packed else len(cpu))
            f = pad(f + (pack('I', 1) + chunk if packed else cpu))
        opts.append((3, pack('Q', section) + name.encode() + b'\0mono\0' + pack('II', PAGE, len(cpus)) + table))
    if 'latency' in words:
        opts.append((22, pack('Q', 0) + b'\0mono\0'))
    content = b''.join(option(*o) for o in opts) + option(0, pack('Q', 0))
    f, at = f + pack('HHIQ', 0, 0, 0, len(content)) + content, len(f)
    return f[:where] + pack('Q', at) + f[where + 8:]


open(out, 'wb').write(v6() if version == b'6' else v7())
