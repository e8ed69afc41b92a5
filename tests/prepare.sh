#!/bin/sh
# Gets the programs that the tests drive but that no Python package brings: Git and PostgreSQL.
# Installs them where it may (root, with apt). Otherwise the tests that need one say that they
# did not run. With ENVSYNC_REQUIRE=all a missing program fails here instead.
set -eu

has_postgresql() {
  command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1
}

missing=""
command -v git >/dev/null 2>&1 || missing="$missing git"
has_postgresql || missing="$missing postgresql"
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "Installing for the tests:$missing" >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get -qq update
  # Debian's package would start a server of its own; the tests start theirs.
  mkdir -p /etc/postgresql-common
  [ -e /etc/postgresql-common/createcluster.conf ] ||
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
  # shellcheck disable=SC2086  # a list of packages
  apt-get -qq install --yes --no-install-recommends $missing >/dev/null
  exit 0
fi

echo "Not installed, so the tests that need them will not run:$missing" >&2
[ "${ENVSYNC_REQUIRE:-}" != all ] || exit 1
