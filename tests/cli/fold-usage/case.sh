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
