# Sourced. Tests of real packets skip where the kernel forbids namespaces, and say so; elsewhere they
# must run.
if [ "$(id -u)" = 0 ] && unshare -n true 2>/dev/null && command -v ip >/dev/null; then
  export SIDESTEP_MUST_RUN=1
fi
