# PMUs of made-up machines: names, the table with terms, JSON.
for m in intel hybrid amd arm64 s390 power; do
	"$PT_TOOLS/machine" $m $m
	echo "== $m"
	pt-list --sysroot $m pmu
	pt-list --sysroot $m -l pmu
	pt-list --sysroot $m -j -l pmu | jq -c .
done
echo "== chosen"
pt-list --sysroot intel energy pmu hw
pt-list --sysroot intel 'uncore_imc*' | head -n 2
pt-list --sysroot intel hw sw tool
pt-list --sysroot arm64 -l cache L1 raw mem
