# `make install DESTDIR=`: every tool works from there, as another user, in another directory, in a C locale; manuals, completion and examples are there.
. "$PT_TOP/tests/lib.sh"
need make setpriv
make -C "$PT_TOP" B="$B" install DESTDIR="$PWD/dest" PREFIX=/usr > log 2>&1 || { tail log; fail "make install"; }
chmod -R a+rX .
for c in "$PT_TOP"/cmd/pt*.c; do
	t=$(basename "$c" .c)
	[ -x dest/usr/bin/$t ] || fail "$t is not installed"
	[ -s dest/usr/share/man/man1/$t.1 ] || fail "no manual of $t"
	[ -s dest/usr/share/bash-completion/completions/$t ] || fail "no completion of $t"
	(cd / && LC_ALL=C as_nobody "$TMPDIR/dest/usr/bin/$t" --help) > help 2> err || fail "$t --help as nobody: $(cat err)"
	has "$t --help" "$(cat help)" "Usage:"
	(cd / && LC_ALL=C as_nobody "$TMPDIR/dest/usr/bin/$t" --version) > version || fail "$t --version"
	has "$t --version" "$(cat version)" "$t"
done
[ -n "$(ls dest/usr/share/doc/pt/examples)" ] || fail "no examples"
