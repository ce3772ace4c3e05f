# Probes of a program that runs already, in one step: its hits with a filter and stacks, until it ends or the time is over, and nothing is left. Text and
# floating-point numbers are shown as what they are.
# variants: plain san
. "$PT_TOP/tests/lib.sh"
need_root; need_uprobes; need cc
name=ptw$$
cat > $name.c <<'C'
#include <stdlib.h>
#include <unistd.h>
struct item { char tag[4]; char name[8]; double price; float rate; const char *who; };
__attribute__((noinline)) void sell(struct item *i, long size) { __asm__ volatile("" :: "r"(i), "r"(size) : "memory"); }
__attribute__((noinline)) void serve(struct item *i, long size) { sell(i, size); __asm__ volatile("" ::: "memory"); }
int main(int argc, char **argv)
{
	struct item i = { "full", "short", 2.5, -0.125f, "somebody" };
	long n = argc > 1 ? atol(argv[1]) : 0;

	for (long k = 0; k != n; k++) {
		serve(&i, k % 2 ? 2l << 20 : 100);
		usleep(1000);
	}
	return 0;
}
C
cc -O1 -g -fomit-frame-pointer -o $name $name.c 2> err || skip "no program can be built: $(head -3 err)"
left() { ! grep -q "_$name/" "$(tracefs)/uprobe_events"; }
text='tag="full" name="short" price=2.5 rate=-0.125 who="somebody"'

background ./$name -1; p=$!
runs 0 pt-probe -x ./$name sell size i-\>tag i-\>name i-\>price i-\>rate i-\>who --filter 'size > 1M' -g -p $p --for 1 > out 2> err
empty "what is said" err
grep "$name" out | grep "sell:" > hits
at_least "hits" "$(wc -l < hits)" 5
equal "hits that do not pass the filter" "$(grep -vc " size=2097152 $text\$" hits)" 0
at_least "stacks" "$(grep -c 'serve+0x' out)" "$(wc -l < hits)"
left || fail "left after the time"
runs 0 pt-probe -x ./$name sell size i-\>price -j -p $p --timeout 300 > out 2> err
equal "JSON" "$(jq -c '[.fields.size > 1, .fields.price]' out | sort -u)" "[true,2.5]"
left || fail "left after JSON"
runs 0 pt-probe -x ./$name sell size -u "$(id -u)" --for 0.3 > out 2> err
at_least "hits of a user's processes" "$(grep -c " size=" out)" 5
pt-probe -x ./$name sell size -p $p > out 2> err &
tool=$!
until_true 60 test -s out || fail "no hit comes: $(cat err)"
kill $p
wait $tool || fail "the process ended: $(cat err)"
left || fail "left after the process"

runs 1 pt-probe -x ./$name sell i-\>price --filter 'price > 2' -- ./$name 1 2> err
has "a filter on a floating-point number" "$(cat err)" "price is a floating-point number"
left || fail "left after a filter that is refused"
ev=$(pt-probe -x ./$name sell i-\>name i-\>price)
pt-record -q -e "$ev" -o x.data -- ./$name 3 > /dev/null 2>&1
equal "of a recording" "$(pt-script x.data | sed 's/.*) //' | sort | uniq -c | tr -s ' ')" ' 3 name="short" price=2.5'
runs 1 pt-script --filter 'price > 2' x.data > out 2> err
has "a filter on a recording" "$(cat err)" "price"
pt-probe -d "$ev"
runs 2 pt-probe -x ./$name sell --filter 'size > 1' 2> err
has "a filter without anything to watch" "$(cat err)" "-p PIDS"

g++ --version > /dev/null 2>&1 || { echo "no g++: the rest is left out"; exit 0; }
cat > $name.cc <<'C'
#include <string>
#include <string_view>
__attribute__((noinline)) void see(const std::string &s, std::string_view v) { __asm__ volatile("" :: "r"(&s), "r"(&v) : "memory"); }
int main()
{
	std::string brief("short"), text("a string that is long enough for the heap");

	see(brief, std::string_view(text).substr(2, 6));
	see(text, std::string_view(text).substr(0, 0));
}
C
g++ -std=c++17 -O1 -g -o $name $name.cc 2> err || skip "no C++ program can be built: $(head -3 err)"
runs 0 pt-probe -x ./$name see s v -- ./$name > out 2> err
equal "strings of C++" "$(sed 's/.*) //' out)" 's="short" v="string"
s="a string that is long enough for the heap" v=""'
left || fail "left at the end"
