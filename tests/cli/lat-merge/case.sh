# Parts of a recording, written by --buckets and added up, are the whole; what is no such file is refused.
# variants: plain san
d=$PT_DATA/lat-block.data
for by in "" "--by op"; do
	pt-lat --buckets $by --max 90us $d > short
	pt-lat --buckets $by --min 90.001us $d > long
	for how in -S -H "-S -H -j" --buckets; do
		pt-lat $how $by $d > want
		pt-lat --merge $how short long | cmp - want && echo "same: $how"
	done
done
pt-lat --merge short long
pt-lat --merge -H -o table < short; cat table
echo "-- wrong"
pt-lat --buckets $d > alone
printf '# pt-lat buckets comm\n1 1 1 1 0:1 1:1 \033]0;evil\n' | pt-lat --merge
for by in '' 'comm": 1, "x' $'\033c'; do echo "# pt-lat buckets $by" | pt-lat --merge -j; done
max=18446744073709551615
printf '# pt-lat buckets -\n%s\n' "$max 1 1 $max 0:$max 1:$max " > many
pt-lat --merge many many
pt-lat --merge short alone
pt-lat --merge $PT_DATA/lat-block.data
echo "12 apples" | pt-lat --merge
head -c 30 short | pt-lat --merge
sed 's/ 0 / 1 /; 2s/:/;/' short > cut; pt-lat --merge cut
: | pt-lat --merge
pt-lat --merge nothing-here
pt-lat --merge --by op short
pt-lat --merge --buckets -j short
pt-lat --buckets -I 5ms $d
