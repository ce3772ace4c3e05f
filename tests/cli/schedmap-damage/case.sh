# Cut short; records lost; some of a CPU's switches missing: what is there is shown, and what is missing is said.
# variants: plain san
d=$PT_DATA/sched-8cpus.data
head -c 54000 "$d" > cut; pt-schedmap --compact cut; echo $?
python3 - "$d" <<'P'
import struct, sys
b = bytearray(open(sys.argv[1], 'rb').read())
off, size = struct.unpack_from('<QQ', b, 40)
thin, lossy = bytearray(b), bytearray(b)
at, n = off, 0
while at < off + size:
    kind, misc, length = struct.unpack_from('<IHH', b, at)
    if kind == 9:				# IDENTIFIER, IP, TID, TIME, CPU, PERIOD, RAW
        ident, ip, tid, time, cpu = struct.unpack_from('<5Q', b, at + 8)
        n += cpu == 0
        if cpu == 0 and n % 3 == 0:		# one that nobody knows
            struct.pack_into('<I', thin, at, 4096)
        if cpu == 0 and n % 12 == 0 and length >= 64:	# LOST: 2 records of its ring; the rest is skipped
            struct.pack_into('<IHH6Q', lossy, at, 2, 0, 56, ident, 2, tid, time, cpu, ident)
            struct.pack_into('<IHH', lossy, at + 56, 4096, 0, length - 56)
    at += length
open('thin', 'wb').write(thin)
open('lossy', 'wb').write(lossy)
P
echo "-- a third of the events of CPU 0 is missing"
pt-schedmap --compact --cpus 0-2 thin; echo $?
echo "-- losses on CPU 0"
pt-schedmap --compact --cpus 0,4,7 lossy; echo $?
