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

# A machine that sends what it likes, and names that would be options or other folders.
mkdir evil hostile; echo 'a;b 1' > evil/stacks; ln -s /etc/shadow evil/counts; cp "$(type -P true)" evil/tool; chmod 4755 evil/tool
printf '# pt-lat buckets op\n1 1 1 1 0:1 1:1 \033]0;R\n' > evil/requests
printf '#!/bin/sh\ncat > /dev/null; tar -C %s/evil -cf - .\n' "$PWD" > hostile/ssh; chmod +x hostile/ssh
PATH=$PWD/hostile:$PATH runs 0 "$PT_TOP/examples/fleet.sh" -o taken evil-host < /dev/null > out 2> err
equal "what is taken of it" "$(cd taken/evil-host; find . ! -type d -size +0 | sort | xargs)" "./requests ./stacks"
! grep -q "$(printf '\033')" out || fail "control characters in the table"
mkdir keep; touch keep/file
for name in ../keep -oProxyCommand=x 'a b'; do runs 2 "$PT_TOP/examples/fleet.sh" -s 1 -- "$name" 2> err; has "$name" "$(cat err)" "no name of a machine"; done
[ -e keep/file ] || fail "a folder beside the machines' is gone"

# One after the other into a shared folder, as srun has it.
runs 0 "$PT_TOP/examples/fleet.sh" -s 1 -1 shared
runs 0 "$PT_TOP/examples/fleet.sh" -s 1 -m shared > out
has "the node's row" "$(cat out)" "$(hostname) "
