# What is found differs from machine to machine; the form does not.
pt-doctor -q > text; echo "status $?"
grep -vE '^(ok|limited|missing|unknown) +[a-z-]+ +[^ ]' text
awk '{ print $2 }' text | grep -xE 'build|kernel|user|container|tracefs|files' | uniq
echo "a cure without its finding:"
awk '$3 == "->" && $2 != last { print } { last = $2 }' text
echo "json:"
need jq
pt-doctor -q -j > json
jq -r 'select(.key == "build" or .key == "tracefs") | "\(.key) \(.state | . == "ok" or . == "missing") \(.text | type) \(keys - ["cure"] | join(","))"' json
[ "$(jq -r .key json)" = "$(awk '$3 != "->" { print $2 }' text)" ] && echo "the same subjects"
