# Requests of a disk: reads, writes of a file, a flush.
# variants: plain san
pt-lat $PT_DATA/lat-block.data
echo "-- from insert"
pt-lat --queued $PT_DATA/lat-block.data
echo "-- as JSON"
pt-lat -j --max 70us $PT_DATA/lat-block.data
