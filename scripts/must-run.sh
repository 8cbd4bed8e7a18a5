# Sourced. Tests of real packets skip with a message if the kernel forbids namespaces; otherwise they must run.
if [ "$(id -u)" = 0 ] && unshare -n true 2>/dev/null && command -v ip >/dev/null; then
  export SIDESTEP_MUST_RUN=1
fi
