# What is chosen is all that counts: on CPUs, in parts, of tasks.
# variants: plain san
cp "$PT_DATA/sched-8cpus.data" in.data
echo "-- on one CPU"
pt-schedmap --affinity --cpu 0 in.data 2> /dev/null | awk 'NR > 1' | grep -vc 'only CPU 0$'
echo "-- switches in a part"
pt-timechart --time +0.02,+0.15 in.data 2> /dev/null | grep -o '<desc>[^<]*' | grep -o '[0-9,]* switches'
pt-schedmap --time +0.02,+0.15 in.data 2> /dev/null | wc -l
echo "-- switches of tasks"
pt-timehist -s --comm sleep,dd in.data 2> /dev/null | grep -o 'switches: .*'
pt-timehist --comm sleep,dd in.data 2> /dev/null | awk 'NR > 3' | wc -l
echo "-- what other tasks ran"
pt-timechart -n 1 in.data 2> /dev/null | grep -o '[0-9]* other tasks<' | head -1
pt-timechart -n 1 --comm sleep,dd in.data 2> /dev/null | grep -o 'everything else' | head -1
