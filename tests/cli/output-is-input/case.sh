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
