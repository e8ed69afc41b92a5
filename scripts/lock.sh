#!/bin/sh
# Writes the lock files: pins with hashes for every platform, and no index address in them.
# The larger set is resolved first and binds the smaller one, so that both agree.
set -eu
bin=$1
options="--quiet --universal --python-version 3.11 --generate-hashes --upgrade
  --no-emit-index-url --no-emit-find-links --no-annotate --no-header"
# shellcheck disable=SC2086  # the options are words
"$bin/uv" pip compile $options --all-extras --group build --group test --group check \
  pyproject.toml -o requirements-dev.lock
# shellcheck disable=SC2086
"$bin/uv" pip compile $options --group build -c requirements-dev.lock \
  pyproject.toml -o requirements.lock
