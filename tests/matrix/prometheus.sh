# What pt-stat --openmetrics writes: promtool accepts it, and a Prometheus that scrapes node_exporter's textfile directory has the numbers.
. "$PT_TOP/tests/lib.sh"
need promtool prometheus prometheus-node-exporter curl jq
mkdir textfile
pt-stat --openmetrics -o textfile/pt.prom -e page-faults,task-clock,'{context-switches,cpu-migrations}' -- true || fail "pt-stat"
promtool check metrics < textfile/pt.prom > said 2>&1 || fail "promtool: $(cat said)"
empty "promtool's remarks" said
pt-stat -a -A --openmetrics -o percpu.prom -e page-faults,task-clock sleep 0.1 || fail "pt-stat -A"
promtool check metrics < percpu.prom > said 2>&1 || fail "promtool: $(cat said)"
want=$(awk '/^pt_stat_events{event="page-faults"/ { print $2 }' textfile/pt.prom)
port=$((20000 + $$ % 20000))
background prometheus-node-exporter --collector.disable-defaults --collector.textfile --collector.textfile.directory="$PWD/textfile" --web.listen-address=127.0.0.1:$port > node.log 2>&1
cat > prom.yml <<Y
global: { scrape_interval: 1s }
scrape_configs: [ { job_name: pt, static_configs: [ { targets: ["127.0.0.1:$port"] } ] } ]
Y
background prometheus --config.file=prom.yml --storage.tsdb.path=tsdb --web.listen-address=127.0.0.1:$((port + 1)) > prom.log 2>&1
asked() { [ "$(curl -s "http://127.0.0.1:$((port + 1))/api/v1/query" --data-urlencode 'query=pt_stat_events{event="page-faults"}' | jq -r '.data.result[0].value[1]')" = "$want" ]; }
until_true 90 asked || fail "Prometheus does not have $want page faults: $(tail -3 prom.log node.log)"
