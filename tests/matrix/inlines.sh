# Inlined frames and their lines, by compiler, language, version of DWARF, and how the debug information is kept: each beside llvm-symbolizer's. It reads no zstd and
# no alternate files, and leaves out innermost frames of split units (14): those are compared with the frames of the same code with its debug information in place.
. "$PT_TOP/tests/lib.sh"
. "$PT_TOP/tests/lib/inlines.sh"
need llvm-symbolizer gcc g++ clang clang++ python3
inlines_sources
N=1200
beside= same=
try() { inlines_build "$@"; beside="$beside $1"; }
same() { local of=$1; shift; inlines_build "$@"; same="$same $1:$of"; }

try c2 c gcc -O2 -gdwarf-2
try c3 c gcc -O3 -gdwarf-3
try c4 c gcc -O2 -gdwarf-4
try c5 c gcc -Os -g
try c64 c gcc -O2 -g -gdwarf64
try c-static c gcc -O2 -g -static
try c-old-z c gcc -O2 -g -Wl,--compress-debug-sections=zlib-gnu
try c-sections c gcc -O2 -gdwarf-4 -ffunction-sections -Wl,--gc-sections
try clang4 c clang -O2 -gdwarf-4
try clang5 c clang -O2 -g -gz
try clang64 c clang -O2 -g -gdwarf64
try cc4 cc g++ -O2 -gdwarf-4
try cc5 cc g++ -O2 -g
try cc-types cc g++ -O2 -g -fdebug-types-section
try cc-types4 cc g++ -O2 -gdwarf-4 -fdebug-types-section
try cc-lto cc g++ -O2 -g -flto
try cc-no-pie cc g++ -O3 -g -no-pie -fno-pie
try clang++4 cc clang++ -O2 -gdwarf-4
try clang++5 cc clang++ -O2 -g
try clang++types cc clang++ -O2 -g -fdebug-types-section
try clang++lines cc clang++ -O2 -gmlt
same cc5 cc-split cc g++ -O2 -g -gsplit-dwarf
same cc4 cc-split4 cc g++ -O2 -gdwarf-4 -gsplit-dwarf
same clang++5 clang-split cc clang++ -O2 -g -gsplit-dwarf
same clang++4 clang-split4 cc clang++ -O2 -gdwarf-4 -gsplit-dwarf
if ld --help | grep -q 'compress-debug-sections=.*zstd'; then same cc5 cc-zstd cc g++ -O2 -g -Wl,--compress-debug-sections=zstd; fi
if command -v ld.lld > /dev/null; then
	try lld c gcc -O2 -g -fuse-ld=lld -ffunction-sections -Wl,--gc-sections
	try lld-lto cc clang++ -O2 -g -flto=thin -fuse-ld=lld
fi
if echo 'int main(void) { return 0; }' | gcc -m32 -o m32 -x c - 2> /dev/null; then try c32 c gcc -O2 -g -m32; fi
if command -v rustc > /dev/null && rustc --version > /dev/null 2>&1; then
	try rust rs rustc -O -g
	try rust-v0 rs rustc -O -g -Csymbol-mangling-version=v0
	try rust-debug rs rustc -g
fi
inlines_built $beside $(for pair in $same; do echo "${pair%:*}"; done)
for name in $beside; do inlines_compare "$name" $N; done
for pair in $same; do inlines_same "${pair%:*}" "${pair#*:}"; done
# Shared by dwz within a file and between files
if command -v dwz > /dev/null; then
	for name in cc4 cc5 clang++4; do cp "$name" "$name.one"; cp "$name" "$name.many"; cp "$name" "$name.sup"; dwz "$name.one" || fail "dwz $name"; done
	dwz -m common4.debug cc4.many clang++4.many cc5.many || fail "dwz -m"
	dwz -5 -m common5.debug cc5.sup cc4.sup clang++4.sup || fail "dwz -5 -m"
	for name in cc4 cc5 clang++4; do
		inlines_same "$name.one" "$name"
		inlines_same "$name.many" "$name"
	done
	inlines_same cc5.sup cc5
fi
# Split units gathered in a package
mkdir away
if command -v llvm-dwp > /dev/null; then
	llvm-dwp -e clang-split -o clang-split.dwp && llvm-dwp -e clang-split4 -o clang-split4.dwp || fail "llvm-dwp"
	mv clang-split*.dwo away/
	inlines_same clang-split clang++5
	inlines_same clang-split4 clang++4
fi
if command -v dwp > /dev/null && dwp -e cc-split4 -o cc-split4.dwp 2> dwp.err; then
	mv cc-split4*.dwo away/
	inlines_same cc-split4 cc4
fi
