#!/bin/sh
# Runs the tests on every newer Python that this machine has, each in an environment of its own:
# every room, and of the tests of whole processes the main street.
set -eu

find_python() {
  for candidate in "python$1" "$HOME"/.pyenv/versions/"$1".*/bin/python; do
    if "$candidate" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" >/dev/null 2>&1; then
      echo "$candidate"
      return
    fi
  done
}

ran=""
for version in 3.12 3.13 3.14; do
  python=$(find_python "$version")
  [ -n "$python" ] || continue
  venv=".venv-$version"
  if [ ! -e "$venv/.development" ] || [ requirements-dev.lock -nt "$venv/.development" ]; then
    "$python" -m venv "$venv"
    for lock in requirements.lock requirements-dev.lock; do
      "$venv/bin/python" -m pip install -qq --disable-pip-version-check --require-hashes -r "$lock"
    done
    "$venv/bin/python" -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable .
    touch "$venv/.development"
  fi
  echo "Python $version"
  "$venv/bin/python" -m pytest -n auto --dist worksteal -m "not slow" -p no:cacheprovider \
    --ignore tests/docs --ignore-glob "tests/e2e/test_[!m]*" tests
  ran="$ran $version"
done
echo "Also tested on:${ran:- no other Python, for none is installed}"
