# convert.sh - files of pt-convert as text, decoded by the published schemas (tests/data/convert).
need_protoc() { need protoc; pt-convert --to pprof - < /dev/null 2>&1 | grep -q 'without protobuf-c' && skip "this build is without protobuf-c"; :; }
pprof_text() { gzip -d | protoc --proto_path="$PT_DATA/convert" --decode=perftools.profiles.Profile pprof.proto; }
perfetto_text() { protoc --proto_path="$PT_DATA/convert" --decode=perfetto.protos.Trace perfetto.proto; }
# One line a message of the top level: `packet` of Perfetto, all fields of pprof.
by_line() { awk '/^}/ { print line; line = ""; next } /^ / { sub(/^ +/, ""); line = line " " $0; next } /{$/ { line = $1; next } { print }'; }
