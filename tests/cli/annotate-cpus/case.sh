# Recordings of other CPUs: s390x has no user part in its call chains. Code that nothing here reads is refused with the package that has its objdump.
cd "$PT_DATA/stacks"
annotate=$(command -v pt-annotate)
echo "s390x, rows:"
pt-report --symfs s390x --no-children -F sample,comm,dso,sym -t '|' s390x.data 2> /dev/null
for cpu in arm64 s390x; do
	echo "$cpu, without objdump:"
	PATH=/nonexistent "$annotate" --symfs $cpu $cpu.data 2>&1
	echo "status $?"
done
echo "i386, samples by address:"
pt-annotate -n --symfs i386 -i i386.data leaf 2> /dev/null | sed -nE 's/^ *([1-9][0-9]*) : +([0-9a-f]+):.*/\2 \1/p'
