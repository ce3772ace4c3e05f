pt-doctor fio.data; echo "status $?"
pt-doctor --jsno; echo "status $?"
pt-doctor -q > /dev/full; echo "status $?"
pt-doctor --version
pt-doctor --help
