# `make deb`: two builds in different folders have the same bytes; in a fresh Debian the package installs with what it depends on, its tools work, and nothing
# remains of it when it is removed.
. "$PT_TOP/tests/lib.sh"
need_root; need make dpkg-buildpackage dh mmdebstrap unshare
unshare -m true 2> /dev/null || skip "no mounts of its own are allowed here"
export DEB_BUILD_OPTIONS='noopt noautodbgsym'	# half the time; the packaging is the same
for b in one other/folder; do
	make -C "$PT_TOP" B="$PWD/$b" deb > log 2>&1 || { tail -20 log; fail "make deb"; }
done
package=$(basename "$PWD"/one/packages/*.deb)
cmp "one/packages/$package" "other/folder/packages/$package" || fail "two builds differ"
dpkg-deb -c "one/packages/$package" > list
for part in ./usr/bin/pt-stat ./usr/share/man/man1/pt-stat.1.gz ./usr/share/doc/pt/copyright ./usr/share/doc/pt/changelog.gz \
	./usr/share/bash-completion/completions/pt-stat; do
	grep -q " $part\$" list || fail "the package lacks $part"
done
has "what it depends on" "$(dpkg-deb -f "one/packages/$package" Depends)" libdw1

mmdebstrap --quiet --variant=apt "$(. /etc/os-release; echo "$VERSION_CODENAME")" root > log 2>&1 || skip "no Debian can be fetched: $(tail -1 log)"
cp /etc/resolv.conf root/etc/
cp "one/packages/$package" root/
cat > root/inside <<'S'
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
files() { find /usr /etc /opt /srv /home /root -xdev ! -path /etc/ld.so.cache | sort; }
apt-get -qq update
files > /before
apt-get -qq install -y --no-install-recommends /pt_*.deb
pt-stat -e task-clock true 2> /tmp/stat
grep -q task-clock /tmp/stat
pt-record -q -e cpu-clock -o /tmp/x.data -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done' || true
pt-report /tmp/x.data > /tmp/report
grep -q ' sh ' /tmp/report
pt-doctor --quick | grep -q '^ok  *build'
apt-get -qq purge -y --auto-remove pt
files > /after
S
unshare -m --propagation private sh -c 'mount -t proc proc root/proc; mount -t sysfs sysfs root/sys; exec chroot root sh /inside' > log 2>&1 || { tail -20 log; fail "in a fresh Debian"; }
same_file "what remains when it is removed" root/before root/after
