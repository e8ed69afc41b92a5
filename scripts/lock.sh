#!/bin/sh
# Writes the lock files: pins with hashes for every platform, and no index address in them.
set -eu
bin=$1
common="--quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --upgrade"
# shellcheck disable=SC2086  # the options are words
"$bin/uv" pip compile $common --no-emit-find-links --group build pyproject.toml -o requirements.lock
# shellcheck disable=SC2086
"$bin/uv" pip compile $common --no-emit-find-links --all-extras --group build --group test --group check \
  -c requirements.lock pyproject.toml -o requirements-dev.lock
