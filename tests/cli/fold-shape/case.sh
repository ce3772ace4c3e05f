# Folded lines merged, filtered, reshaped.
printf '%s\n' 'a;main;f<int, g<3> >;w+0x1f 2' 'a;main;h_[k];w 3.5' 'b;main;f;x 1' 'a;main;h_[k];w 1.5' '# note' 'b;idle 4' 'a;main;operator<;operator->;T<x>::y 1 6' > in
for o in '' '--grep main --grep ^f' '--exclude idle --exclude ^h' '--root ^(f|h)' '--leaf main' '--depth 2' '--drop ^main$ --drop ^w --depth 2' '--strip addrs,templates,marks' '--root ^main$ --leaf ^h --depth 2'; do
	echo "== $o"; pt-fold $o in
done
pt-fold - in < in | tail -1
# What begins with # would be a note.
printf 'a;#run;f 2\na;#run;g 1\n' | pt-fold --root '#run' | tee hash
pt-fold hash
pt-fold --grep f hash
