#!/bin/bash
# slurm_here.sh DIR: a Slurm of this machine alone, in DIR. Needs root; installs Debian's packages where they are missing and
# SIDESTEP_INSTALL=1. Prints why it cannot and ends with 77, or ends with 0 when a job can be sent with SLURM_CONF=DIR/slurm.conf.
# The daemons' ids are in DIR/*.pid.
set -u
dir=$1
cannot() { echo "$1"; exit 77; }
[ "$(id -u)" = 0 ] || cannot "Slurm's daemons need root"
missing=
for program in slurmctld slurmd sbatch munged; do
  command -v "$program" >/dev/null || missing=$program
done
if [ -n "$missing" ]; then
  [ "${SIDESTEP_INSTALL:-}" = 1 ] || cannot "Slurm is not installed ($missing): apt-get install slurmctld slurmd slurm-client munge, or SIDESTEP_INSTALL=1"
  apt-get update -qq >"$dir/apt.log" 2>&1 || true
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends slurmctld slurmd slurm-client munge >>"$dir/apt.log" 2>&1 \
    || cannot "apt-get cannot install Slurm: $(tail -1 "$dir/apt.log")"
fi
mkdir -p "$dir/state" "$dir/spool"
# A socket and a key of its own: another munged on this machine is left alone.
dd if=/dev/urandom of="$dir/munge.key" bs=128 count=1 2>/dev/null
chmod 600 "$dir/munge.key"
munged --force --key-file="$dir/munge.key" --socket="$dir/munge.sock" --pid-file="$dir/munged.pid" \
  --log-file="$dir/munged.log" --seed-file="$dir/munge.seed" || cannot "munged does not start: $(tail -1 "$dir/munged.log")"
name=$(hostname -s)
ports=$(python3 -c 'import socket
both = [socket.create_server(("", 0)) for _ in range(2)]
print(*(one.getsockname()[1] for one in both))')
read -r control node <<<"$ports"
cat >"$dir/slurm.conf" <<CONF
ClusterName=sidestep
SlurmctldHost=$name(127.0.0.1)
SlurmctldPort=$control
SlurmdPort=$node
AuthType=auth/munge
AuthInfo=socket=$dir/munge.sock
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_min_interval=100000
NodeName=$name NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=short Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$dir/slurm.conf
slurmctld -c || cannot "slurmctld does not start: $(tail -1 "$dir/slurmctld.log")"
slurmd || cannot "slurmd does not start: $(tail -1 "$dir/slurmd.log")"
for _ in $(seq 600); do
  case $(sinfo --noheader --format=%T 2>/dev/null) in idle*) exit 0 ;; esac
  sleep 0.1
done
cannot "the node does not come up: $(sinfo --noheader 2>&1); $(tail -2 "$dir/slurmd.log")"
