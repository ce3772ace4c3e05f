# Tables and histograms, by key, in both forms.
# variants: plain san
d=$PT_DATA/lat-block.data
pt-lat -S $d
pt-lat --summary --by op $d
pt-lat --hist $d
pt-lat --hist --summary --by dev $d
pt-lat -j -S -H --by op $d
echo "-- every 5 ms"
pt-lat -S -I 5ms $d
echo "-- chosen"
pt-lat -S --by comm --comm dd $d
pt-lat -S --min 80us --max 0.1ms $d
pt-lat -S --time 0%-50% $d
pt-lat -S -o table $d; cat table
pt-lat -S < $d
echo "-- the longest"
pt-lat --worst 3 $d
pt-lat --worst 2 --op 'R*' -j $d
pt-lat --worst 1 --op nothing $d
pt-lat -S --op 'W*' $d
