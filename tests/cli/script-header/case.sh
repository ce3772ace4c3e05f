# The header, alone and with records.
pt-script --header-only "$PT_DATA/perf-faults.data" | sed '/captured on/d'
pt-script -F -sym,-symoff,-dso --header "$PT_DATA/perf-faults.data" | sed -n '/^# ========/,$p' | sed -n '/^#$/,$p' | sed -n 1,3p
