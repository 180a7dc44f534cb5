# Sourced by build-image and the image's test: finds the container engine, as $engine.
#
# Where podman runs without systemd, as in a CI sandbox, its defaults fail (limits that may not be
# raised, cgroups that its usual runtime refuses); settings of our own replace them for this run.
engine=none
if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
  engine=docker
elif command -v podman >/dev/null && podman info >/dev/null 2>&1; then
  engine=podman
fi

if [ "$engine" = podman ] && [ ! -d /run/systemd/system ]; then
  mkdir -p build
  export CONTAINERS_CONF=$PWD/build/containers.conf
  cat >"$CONTAINERS_CONF" <<'CONF'
[containers]
default_ulimits = ["nofile=1024:20000", "nproc=1024:4096"]
log_driver = "k8s-file"
[engine]
runtime = "runc"
events_logger = "file"
cgroup_manager = "cgroupfs"
CONF
fi

# Whether a container can be made and run here: a sandbox may forbid what that takes.
containers_run() {
  [ "$engine" = podman ] || return 0
  podman image exists localhost/debian:bookworm-slim || make_base || return 1
  podman run --rm --network none localhost/debian:bookworm-slim true
}

# Makes debian:bookworm-slim out of this system's package mirror. Needs root and debootstrap.
make_base() {
  local folder mirror
  folder=$(mktemp -d)
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
    'Release: bookworm' 'Component: main' | head -n 1)
  debootstrap --variant=minbase bookworm "$folder" "$mirror"
  rm -f "$folder/etc/apt/sources.list"  # debootstrap's own; the next line brings this system's.
  find /etc/apt -name '*.list' -o -name '*.sources' | sed 's,^/,,' |
    tar -C / -c -T - | tar -C "$folder" -x
  rm -rf "$folder"/var/cache/apt/* "$folder"/var/lib/apt/lists/* "$folder"/var/log/*.log \
    "$folder"/usr/share/{doc,man,info,locale}/*
  tar -C "$folder" -c . | podman import --change 'CMD ["bash"]' - localhost/debian:bookworm-slim
  rm -rf "$folder"
}
