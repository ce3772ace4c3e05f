#!/usr/bin/env python3
"""hostile.py CASE FILE [N] - small files that would take much memory or time from a reader that does not bound what it spends.

ELF cases are 64-bit x86-64 files that nothing executes:
  units     N skeleton units that all name FILE itself as their split unit
  packed    N bytes of zeros as .debug_info, packed by zlib
  notes     N section headers of notes that all stand for the same large bytes
  names     N function symbols whose names begin at each byte of one long string of underscores
  holes     a .debug_info of N bytes that lies in a hole of the file
  constants N entries of two bytes, each with a thousand attributes that take no bytes
Others:
  map       N lines of a perf-PID.map, each of the size that touches most blocks of addresses
  pids      a recording of N processes with a mapping each, and nothing else
  zeros     a recording of N samples of 64 KB of zeros, packed by zstd
"""
import ctypes
import struct
import sys
import zlib


def elf(sections):
    """sections: (name, type, flags, data, link, info, entsize); data may be ("same", index) or ("hole", bytes)"""
    names = b"\0"
    body = bytearray(64)
    heads = [(0,) * 10]
    places = []
    hole = 0
    for name, kind, flags, data, link, info, size in sections + [(".shstrtab", 3, 0, None, 0, 0, 0)]:
        at = len(names)
        if ("\0" + name + "\0").encode() in names:
            at = names.index(("\0" + name + "\0").encode()) + 1
        else:
            names += name.encode() + b"\0"
        if data is None:
            data = names
        if isinstance(data, tuple) and data[0] == "same":
            off, length = places[data[1]]
        elif isinstance(data, tuple):
            off, length, hole = 1 << 30, data[1], data[1]
        else:
            body += b"\0" * (-len(body) % 8)
            off, length = len(body), len(data)
            body += data
        places.append((off, length))
        heads.append((at, kind, flags, 0x1000 if kind == 1 and flags & 4 else 0, off, length, link, info, 8, size))
    body += b"\0" * (-len(body) % 8)
    table = b"".join(struct.pack("<IIQQQQIIQQ", *h) for h in heads)
    first = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, len(heads), len(heads) - 1, 0, 0, 0)
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, len(body), 0, 64, 0, 0, 64, 0, 0xffff)
    return head + bytes(body[64:]) + first + table[64:], hole


def units(path, n):
    name = path.encode() + b"\0"
    abbrev = bytes([1, 0x4a, 0, 0x76, 0x08, 0, 0, 0])     # skeleton unit: dwo_name as a string
    info = b""
    for i in range(n):
        one = struct.pack("<HBBIQ", 5, 4, 8, 0, i + 1) + b"\1" + name
        info += struct.pack("<I", len(one)) + one
    return elf([(".debug_abbrev", 1, 0, abbrev, 0, 0, 0), (".debug_info", 1, 0, info, 0, 0, 0)])


def packed(path, n):
    del path
    z = zlib.compressobj(9)
    data = b"".join(z.compress(bytes(1 << 20)) for _ in range(n >> 20)) + z.flush()
    head = struct.pack("<IIQQ", 1, 0, n >> 20 << 20, 1)
    return elf([(".debug_abbrev", 1, 0, bytes([1, 0x11, 0, 0, 0, 0]), 0, 0, 0), (".debug_info", 1, 0x800, head + data, 0, 0, 0)])


def notes(path, n):
    del path
    note = struct.pack("<III", 4, 4, 1) + b"GNU\0" + bytes(4)
    return elf([(".note", 7, 0, note * 60000, 0, 0, 0)] + [(".note", 7, 0, ("same", 0), 0, 0, 0)] * n)


def symbols(path, n):
    del path
    strings = b"\0" + b"_Z" * 8000 + b"_" * 300 + b"\0"
    syms = bytes(24) + b"".join(struct.pack("<IBBHQQ", 1 + i % 16000, 0x12, 0, 1, 0x1000 + 16 * i, 16) for i in range(n))
    return elf([(".text", 1, 6, bytes(16), 0, 0, 0), (".symtab", 2, 0, syms, 3, 1, 24), (".strtab", 3, 0, strings, 0, 0, 0)])


def holes(path, n):
    del path
    return elf([(".debug_abbrev", 1, 0, bytes([1, 0x11, 0, 0, 0, 0]), 0, 0, 0), (".debug_info", 1, 0, ("hole", n), 0, 0, 0)])


def constants(path, n):
    del path
    attributes = bytes([0x3e, 0x0f]) + bytes([0x88, 0x01, 0x21, 0, 0x3c, 0x19]) * 500     # encoding as a LEB128, then alignments as constants, and flags
    abbrev = bytes([1, 0x11, 1, 0, 0]) + bytes([2, 0x39, 0]) + attributes + bytes([0, 0, 0])     # a unit, and namespaces in it
    one = struct.pack("<HBBI", 5, 1, 8, 0) + b"\1" + b"\2\0" * n + b"\0"
    return elf([(".debug_abbrev", 1, 0, abbrev, 0, 0, 0), (".debug_info", 1, 0, struct.pack("<I", len(one)) + one, 0, 0, 0)])


def perf_map(path, n):
    with open(path, "w") as f:
        for i in range(n):
            f.write("%x 3f000 a\n" % (0x1000 + (i << 12)))


def recording(path, features, body):
    """A perf.data file: a software event with tid, time and raw data; `body`: its records."""
    attr = struct.pack("<IIQQQQQ", 1, 64, 9, 1, 2 | 4 | 0x400, 0, 1 << 18).ljust(64, b"\0")
    head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 80, 104, 80, 184, len(body), 0, 0) + features.ljust(32, b"\0")
    with open(path, "wb") as f:
        f.write(head + attr + bytes(16) + body)


def pids(path, n):
    recording(path, b"", b"".join(struct.pack("<IHHIIQQQ8s", 1, 2, 48, i, i, 0x400000, 0x1000, 0, b"/bin/ls") for i in range(2, n + 2)))


def zeros(path, n):
    size, each = 65528, 64
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_compress.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(1 << 20)
    body = b""
    for first in range(0, n, each):
        raw = b"".join(struct.pack("<IHHIIQI", 9, 2, size, 2, 2, i, size - 28).ljust(size, b"\0") for i in range(first, first + each))
        got = zstd.ZSTD_compress(room, ctypes.c_size_t(len(room)), raw, ctypes.c_size_t(len(raw)), 9)
        body += struct.pack("<IHH", 81, 0, 8 + got) + room.raw[:got]
    recording(path, b"", body)


def main():
    case, path = sys.argv[1:3]
    cases = {"units": (units, 8000), "packed": (packed, 256 << 20), "notes": (notes, 38000), "names": (symbols, 100000), "holes": (holes, 1 << 30),
             "constants": (constants, 4 << 20)}
    if case == "map":
        perf_map(path, int(sys.argv[3]) if len(sys.argv) > 3 else 1000000)
        return
    if case in ("pids", "zeros"):
        {"pids": pids, "zeros": zeros}[case](path, int(sys.argv[3]))
        return
    make, n = cases[case]
    image, hole = make(path, int(sys.argv[3]) if len(sys.argv) > 3 else n)
    with open(path, "wb") as f:
        f.write(image)
        if hole:
            f.truncate((1 << 30) + hole)


main()
