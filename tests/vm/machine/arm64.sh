# Sourced by the tests on arm64, behind lib.sh: the machine ($machine, its folder is $B/vm/aarch64) and a cross compiler ($cross) are there then.
need qemu-system-aarch64 cpio readelf python3 gcc make pkg-config dpkg
machine=$PT_TOP/tests/vm/machine cross=$B/vm/aarch64/cross there=$B/vm/aarch64/pt
"$machine/mk" aarch64 "$B/vm" > mk.log 2>&1 || { tail -5 mk.log; fail "cannot make the machine"; }
"$machine/cross" aarch64 "$B/vm" > cross.log 2>&1 || { tail -5 cross.log; fail "cannot make the cross compiler"; }

# Builds these for arm64 (bin/pt-list, tests/tools/step) and puts them into t/bin.
build() {
	flock "$B/vm/aarch64/lock" env -u MAKEFLAGS -u SAN make -C "$PT_TOP" -s -j2 B="$there" CC="$cross/gcc" AR="$cross/ar" PKG_CONFIG="$cross/pkg-config" CFLAGS=-O1 \
		"${@/#/$there/}" > make.log 2>&1 || { tail -5 make.log; fail "cannot build pt for arm64"; }
	mkdir -p t/bin
	cp "${@/#/$there/}" t/bin/
}
