#!/usr/bin/env bash
# Runs inside the container of scripts/service.sh: tests the unit step by step. Writes its output to /root/said.
exec >/root/said 2>&1
set -u
unit=sidestep-switch@edge0
failed() {
  echo "failed: $*"
  systemctl status --no-pager --lines=20 "$unit" || true
  systemctl --no-block poweroff
  exit 1
}
see() { echo "seen: $*"; }
of() { systemctl show --property "$2" --value "${3:-$unit}" | sed "s/^/$1/"; }

# until_seen WHAT COMMAND...: waits until COMMAND succeeds, with a limit long enough for a busy machine.
until_seen() {
  local what=$1 left=300
  shift
  while ! "$@" >/dev/null 2>&1; do
    left=$((left - 1))
    [ $left -gt 0 ] || failed "$what"
    sleep 0.1
  done
}
# The kernel of the other host must answer an address query, through the switch and back.
reach() {
  ip -n h1 neigh flush dev eth0
  ip netns exec h1 bash -c 'echo x >/dev/udp/10.9.0.2/9'
  sleep 0.2
  ip -n h1 neigh show 10.9.0.2 | grep -q lladdr
}
active() { systemctl is-active --quiet "$unit"; }

mkdir -p /run/netns
for i in 1 2; do
  ip netns add h$i
  ip link add p$i type veth peer name eth0 netns h$i
  ip link set p$i up
  ip -n h$i addr add 10.9.0.$i/24 dev eth0
  ip -n h$i link set eth0 up
  ip netns exec h$i ethtool -K eth0 tx off sg off tso off gso off gro off rx off >/dev/null
  ethtool -K p$i tx off sg off tso off gso off gro off rx off >/dev/null
done
config() {
  cat <<TOML
[switch]
capacity = "$1"
forwarding = "learning"
[process]
control = "/run/sidestep/edge0/control.sock"
metrics = "127.0.0.1:9470"
capture = "/var/log/sidestep/edge0/capture.pcapng"
[[port]]
interface = "p1"
rate = "100 Mbps"
[[port]]
interface = "p2"
rate = "100 Mbps"
TOML
}
mkdir -p /etc/sidestep
config "100 pkt" >/etc/sidestep/edge0.toml
config "no number" >/etc/sidestep/wrong.toml
chmod 644 /etc/sidestep/*.toml

systemctl daemon-reload
systemctl start "$unit" || failed "systemctl start"
until_seen "the unit is active" active
until_seen "a question and its answer go through the switch" reach
see "systemctl start: active, and hosts reach each other through it"

pid=$(of "" MainPID)
who=$(stat -c %u "/proc/$pid")
status=$(cat "/proc/$pid/status")
[ "$who" -ge 61184 ] && [ "$who" -le 65519 ] || failed "a user of DynamicUser=, got $who"
for line in "CapEff:	0000000000000000" "CapPrm:	0000000000000000" "CapBnd:	0000000000000000" "CapAmb:	0000000000000000" "NoNewPrivs:	1" "Seccomp:	2"; do
  grep -qxF "$line" <<<"$status" || failed "expected $line of /proc/PID/status, got $(grep "${line%%:*}" <<<"$status")"
done
see "the unit runs as a dynamic user, without capabilities, under a system-call filter"
policy=$(chrt -p "$pid" | head -1)
if grep -q SCHED_FIFO <<<"$policy"; then
  see "SCHED_FIFO"
elif [ $((0x$(sed -n 's/^CapEff:\t//p' /proc/1/status) >> 24 & 1)) = 0 ]; then
  # LimitRTPRIO= and LimitMEMLOCK= need CAP_SYS_RESOURCE.
  journalctl --no-pager -u "$unit" | grep -q 'runs without SCHED_FIFO' || failed "the journal says that it runs without SCHED_FIFO"
  echo "left out: SCHED_FIFO and locked memory: systemd cannot raise limits in this container (no CAP_SYS_RESOURCE); the switch reported that and runs"
else
  failed "SCHED_FIFO, got $policy"
fi
file=/var/log/sidestep/edge0/capture.pcapng
[ "$(stat -L -c '%u %a' "$file")" = "$who 600" ] || failed "a capture of mode 600 that is its own, got $(stat -L -c '%u %a' "$file")"
see "its capture is its own, mode 600"
exec 3<>/dev/tcp/127.0.0.1/9470
printf 'GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' >&3
metrics=$(cat <&3)
grep -q '^sidestep_' <<<"$metrics" || failed "metrics, got $metrics"
see "metrics are answered"

config "50 pkt" >/etc/sidestep/edge0.toml
systemctl reload "$unit" || failed "systemctl reload"
until_seen "a line in the journal about the reload" sh -c "journalctl --no-pager -u $unit | grep -i 'reload\|read again\|now runs'"
[ "$(of "" MainPID)" = "$pid" ] || failed "the same process after a reload"
until_seen "hosts reach each other after the reload" reach
see "systemctl reload: the same process, and hosts reach each other"

kill -KILL "$pid"
again() { active && [ "$(of "" MainPID)" != "$pid" ] && [ "$(of "" NRestarts)" = 1 ] && reach; }
until_seen "it is started again after SIGKILL" again
[ "$(stat -L -c '%u %a' "$file")" = "$(stat -c %u "/proc/$(of "" MainPID)") 600" ] || failed "a new capture"
see "killed by SIGKILL: started again, and hosts reach each other"

systemctl start sidestep-switch@wrong
wrong() { [ "$(of "" Result "sidestep-switch@wrong")" = exit-code ] && [ "$(of "" ExecMainStatus "sidestep-switch@wrong")" = 2 ]; }
until_seen "a wrong config ends with exit status 2" wrong
sleep 2
[ "$(of "" NRestarts sidestep-switch@wrong)" = 0 ] || failed "a wrong config is not tried again"
systemctl is-failed --quiet sidestep-switch@wrong || failed "the unit of a wrong config has failed"
journalctl --no-pager -u sidestep-switch@wrong | grep -q 'wrong.toml:2:' || failed "the journal names the place in the config"
see "a wrong config: failed with status 2, its place in the journal, not tried again"

systemctl stop "$unit" || failed "systemctl stop"
[ "$(of "" ActiveState) $(of "" Result)" = "inactive success" ] || failed "inactive and success, got $(of "" ActiveState) $(of "" Result)"
[ ! -e /run/sidestep/edge0 ] || failed "its runtime folder goes with it"
see "systemctl stop: inactive, success, and its runtime folder is gone"
echo "systemd: $(systemctl --version | head -1); $(systemd-analyze security --no-pager sidestep-switch@edge0 2>/dev/null | tail -1 | sed 's/^[^O]*//')"
echo "all checks passed"
systemctl --no-block poweroff
