# Output is not written over the recording that is read, by whatever name it goes.
# variants: plain san
cp "$PT_DATA/sched-8cpus.data" in.data
cp in.data before
ln -s in.data link.data
for tool in schedmap schedlat timehist script lat report timechart heatmap stack; do
	pt-$tool -o in.data in.data; echo "pt-$tool: $?"
	cmp in.data before
done
pt-schedmap -o link.data -i ./in.data; echo "by a link: $?"
pt-script -o in.data before in.data; echo "one of two: $?"
cmp in.data before
# What is chosen is all that counts.
echo "-- on one CPU"
pt-schedmap --affinity --cpu 0 in.data 2> /dev/null | awk 'NR > 1' | grep -vc 'only CPU 0$'
echo "-- switches in a part"
pt-timechart --time +0.02,+0.15 in.data 2> /dev/null | grep -o '<desc>[^<]*' | grep -o '[0-9,]* switches'
pt-schedmap --time +0.02,+0.15 in.data 2> /dev/null | wc -l
echo "-- switches of tasks"
pt-timehist -s --comm sleep,dd in.data 2> /dev/null | grep -o 'switches: .*'
pt-timehist --comm sleep,dd in.data 2> /dev/null | awk 'NR > 3' | wc -l
