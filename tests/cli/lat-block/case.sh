# Requests of a disk: reads, writes of a file, a flush.
# variants: plain san
pt-lat $PT_DATA/lat-block.data
echo "-- from insert"
pt-lat --queued $PT_DATA/lat-block.data
echo "-- as JSON"
pt-lat -j --max 70us $PT_DATA/lat-block.data
echo "-- completions are left out: they have no such field"
pt-lat --worst 2 --filter 'bytes > 0' $PT_DATA/lat-block.data 2>&1
pt-lat --worst 1 --queued -j --filter 'bytes > 0' $PT_DATA/lat-block.data
