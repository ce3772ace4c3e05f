# Wrong options, nothing to read, text that is none.
t() { echo "\$ $*"; "$@" < in > out; echo "status $?, $(wc -c < out) bytes"; }
: > in; t pt-fold
printf 'x\ny\n' > in; t pt-fold
t pt-fold missing
t pt-fold --from pstack
t pt-fold --grep '('
t pt-fold --strip names
t pt-fold --weighted --samples
t pt-diff in
t pt-diff - -
t pt-diff in missing
# No text: a recording, in either byte order, something compressed or a program; also behind a file that is text.
printf 'a;b 1\n' > in
printf 'PERFILE2\150\0\0\0\0\0\0\0' > recording
printf '2ELIFREP\0\0\0\0\0\0\0\150' > other-order
printf 'a;b 1\n' | gzip > gz
printf 'a;b;c;\0d 1\n' > zero-byte
for f in recording other-order gz zero-byte; do t pt-fold "$f"; t pt-flame "$f"; t pt-diff in "$f"; done
t pt-fold in recording
printf 'a;b;c;d;\0e 1\n' > zero-byte
pt-fold zero-byte
# A line that does not end: read no further than a stack may be long.
{ printf 'a;b 1\nc;'; head -c 17000000 /dev/zero | tr '\0' 'x'; printf ';d 1\n'; } > long
for t in pt-fold pt-flame 'pt-diff in'; do echo "\$ $t long"; $t long > out; echo "status $?"; done
rm long
# No stack on one side, on both.
printf '# nothing\n' > none
: > in
t pt-diff none in
t pt-diff -j in none
printf 'a;b 1\n' > in
t pt-diff none in
