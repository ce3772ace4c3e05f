# trace-cmd's recordings, as tests/lib/tracedat.py makes them: versions 6 and 7, packed, foreign byte order, 32 bits: the same text of all.
make() { python3 "$PT_TOP/tests/lib/tracedat.py" t.dat "$@"; }
make v6
pt-script t.dat | tee first
for how in "v6 big" "v6 long4" "v6 big long4" v7 "v7 big" zlib "zlib big long4"; do
	# shellcheck disable=SC2086
	make $how
	# shellcheck disable=SC2001
	case $how in *long4*) pt-script t.dat | sed 's/c0000\([0-9a-f]\{3\}\)\b/ffffffff81000\1/g' ;; *) pt-script t.dat ;; esac > this
	cmp this first && echo "the same: $how"
done
pt-script "$PT_DATA/trace-zstd.dat" | cmp - first && echo "the same: zstd, by trace-cmd"
echo "== two instances"; make v7 second; pt-script -F time,event t.dat | sed -n 1,4p; make v6 second; pt-script t.dat | wc -l
echo "== the clock is a counter, with an offset"; make v6 tsc; pt-script -F time,event t.dat | sed -n 1,2p
echo "== losses"; make v6 lost; pt-script -F time,event --show-lost-events t.dat | sed -n '/LOST/p'
echo "== cut"; make v6; head -c -4000 t.dat > cut.dat; pt-script cut.dat | cmp - first; head -c -5000 t.dat > cut.dat; pt-script cut.dat | wc -l
echo "== not read"; for how in "v6 guest" "v7 guest" "v6 latency" "v7 latency"; do make $how; pt-script t.dat; done
sed 's/tracing6/tracing5/' t.dat | cat > five.dat; make v6; sed 's/tracing6/tracing5/' t.dat > five.dat; pt-script five.dat; cat t.dat | pt-script -
echo "== filtered"; pt-script --filter 'prev_pid >= 8 && next_comm ~ "n*"' t.dat; pt-script --filter 'common_pid == 8 && ip > 0' -F event,trace t.dat | wc -l; pt-script --filter 'none == 1' t.dat
