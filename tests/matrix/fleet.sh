# examples/fleet.sh on machines that are network namespaces with an sshd each (FLEET_MACHINES=N; 3): their stacks, counts and histograms become one picture, one
# profile and one table; a machine that does not answer is named. Under srun (here: a loop) it does the same.
# alone
. "$PT_TOP/tests/lib.sh"
need ip ssh sshd parallel ssh-keygen jq
sshd=$(command -v sshd) || sshd=/usr/sbin/sshd
n=${FLEET_MACHINES:-3} hosts=
mkdir -p bin /run/sshd
ssh-keygen -q -t ed25519 -N '' -f key
cp key.pub authorized; chmod 700 .; chmod 600 authorized
drop() { for ((i = 1; i <= n; i++)); do [ ! -s pid.$i ] || kill "$(cat pid.$i)"; ip netns del "pt-fleet-$$-$i"; done 2> /dev/null; }
trap drop EXIT
for ((i = 1; i <= n; i++)); do
	name=pt-fleet-$$-$i host=10.213.$i.2
	ip netns add "$name" 2> ip.err || skip "no network namespaces here: $(cat ip.err)"
	ip link add "ptf$i" type veth peer name eth0 netns "$name" 2> ip.err || skip "no veth here: $(cat ip.err)"
	ip addr add "10.213.$i.1/24" dev "ptf$i"; ip link set "ptf$i" up
	ip -n "$name" addr add "$host/24" dev eth0; ip -n "$name" link set eth0 up
	cat > sshd.$i <<C
HostKey $PWD/key
PidFile $PWD/pid.$i
ListenAddress $host
AuthorizedKeysFile $PWD/authorized
StrictModes no
UsePAM no
PermitRootLogin yes
SetEnv PATH=$PATH
C
	ip netns exec "$name" "$sshd" -f "$PWD/sshd.$i" || fail "sshd"
	hosts="$hosts $host"
done
cat > bin/ssh <<C
#!/bin/sh
exec $(command -v ssh) -i $PWD/key -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "\$@"
C
chmod +x bin/ssh
export PATH=$PWD/bin:$PATH
dd if=/dev/zero of=file bs=4k count=2000 oflag=direct 2> /dev/null & busy=$!
runs 0 "$PT_TOP/examples/fleet.sh" -s 2 $hosts > out 2> err
wait $busy
equal "machines in the table" "$(awk '$1 ~ /^10\.213/ { print $1 }' out | sort | xargs)" "$(echo $hosts | xargs -n1 | sort | xargs)"
for host in $hosts; do
	grep -q "^$host;" fleet/fleet.folded || fail "no stacks of $host"
	has "the picture" "$(cat fleet/fleet.svg)" "$host"
done
# Histograms are added up exactly.
equal "requests" "$(awk 'on { s += $1 } $1 == "count" { on = 1 } END { print s }' fleet/fleet.txt)" "$(awk '!/^#/ { s += $1 } END { print s }' fleet/*/requests)"
gzip -t fleet/fleet.pb.gz || fail "fleet.pb.gz"
"$PT_TOP/examples/fleet.sh" -s 1 -o some 10.213.1.2 10.213.1.99 > out 2> err
equal "status with a machine that is not there" $? 1
has "what is said of it" "$(cat err)" "fleet: 10.213.1.99: no answer"
has "the other's row" "$(cat out)" "10.213.1.2 "

# One after the other into a shared folder, as srun has it.
runs 0 "$PT_TOP/examples/fleet.sh" -s 1 -1 shared
runs 0 "$PT_TOP/examples/fleet.sh" -s 1 -m shared > out
has "the node's row" "$(cat out)" "$(hostname) "
