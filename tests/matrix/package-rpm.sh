# `make rpm`: two builds in different folders have the same bytes; the package has the tools, compressed manuals and completion, and names the libraries that it needs.
. "$PT_TOP/tests/lib.sh"
need make rpmbuild rpm
for b in one other/folder; do
	CFLAGS=-O0 make -C "$PT_TOP" B="$PWD/$b" rpm > log 2>&1 || { tail -20 log; fail "make rpm"; }
done
package=$(basename one/packages/*.rpm)
cmp "one/packages/$package" "other/folder/packages/$package" || fail "two builds differ"
rpm -qlp "one/packages/$package" > list 2> err || fail "rpm: $(cat err)"
for c in "$PT_TOP"/cmd/pt*.c; do
	t=$(basename "$c" .c)
	for part in /usr/bin/$t /usr/share/man/man1/$t.1.gz /usr/share/bash-completion/completions/$t; do
		grep -qx "$part" list || fail "the package lacks $part"
	done
done
grep -q LICENSE list || fail "no licence"
has "what it needs" "$(rpm -qp --requires "one/packages/$package" 2> /dev/null)" libdw.so.1
