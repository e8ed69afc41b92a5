"""Commands: what is warned of, and what looks alike and is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Lint = Callable[[str], Any]

ASKING = [
    ("apt-get install jq", "apt-get"),
    ("apt install --no-install-recommends jq", "apt"),
    ("sudo -n apt-get install jq", "apt-get"),
    ("DEBIAN_FRONTEND=noninteractive apt-get install jq", "apt-get"),
    ("apt-get update && apt-get upgrade", "apt-get"),
    ("env A=b /usr/bin/apt-get install jq", "/usr/bin/apt-get"),
    ("dnf install jq", "dnf"),
    ("zypper install jq", "zypper"),
    ("pacman -S jq", "pacman"),
    ("conda install numpy", "conda"),
    ("npm init", "npm"),
    ("npm init vite", "npm"),
    ("npm login", "npm"),
    ("poetry init", "poetry"),
    ("pip uninstall numpy", "pip"),
    ("gh auth login", "gh"),
    ("docker login registry.example", "docker"),
    ("git commit -a", "git"),
    ("git rebase -i HEAD~3", "git"),
    ("git add -p", "git"),
    ("ssh-keygen -t ed25519", "ssh-keygen"),
    ("gpg --gen-key", "gpg"),
    ("passwd agent", "passwd"),
    ("adduser agent", "adduser"),
    ("mysql -u root -p", "mysql"),
    ("psql -W", "psql"),
    ("rm -i *.tmp", "rm"),
    ("read NAME", "read"),
    ("if test -t 0; then read -p 'Go on? ' answer; fi", "read"),
    ("vim notes.md", "vim"),
    ("nano notes.md", "nano"),
    ("sudo make install", "sudo"),
    ("sudo -E apt-get update", "sudo"),
    ('echo "$(npm init)"', "npm"),
]

NOT_ASKING = [
    "apt-get install -y jq",
    "apt-get -y install jq",
    "apt-get -qy install jq",
    "apt-get install -yqq jq",
    "apt-get -qq install jq",
    "apt-get --yes install jq",
    "apt-get --assume-yes install jq",
    "apt-get update",
    "apt-get -o APT::Get::Assume-Yes=true install jq",
    "apt-cache search jq",
    "echo 'apt-get install jq'",
    "# apt-get install jq",
    "yes | apt-get install jq",
    "dnf -y install jq",
    "zypper -n install jq",
    "pacman -S --noconfirm jq",
    "pacman -Ss jq",
    "conda install -y numpy",
    "conda env create -f environment.yml",
    "npm init -y",
    "npm ci",
    "npm install",
    "poetry install",
    "poetry init --no-interaction",
    "pip uninstall -y numpy",
    "pip install numpy",
    'echo "$TOKEN_FILE" | gh auth login --with-token',
    "docker login --password-stdin registry.example < file",
    "git commit -m 'x'",
    "git commit -am x",
    "git commit --amend --no-edit",
    "git rebase main",
    "git add .",
    "ssh-keygen -t ed25519 -N '' -f key",
    "ssh-keygen -R host.example",
    "ssh-keyscan git.acme.example",
    "gpg --batch --gen-key parameters",
    "gpg --import key.asc",
    "echo agent:x | chpasswd",
    "adduser --disabled-password --gecos '' agent",
    "adduser -D agent",
    "adduser agent docker",
    "mysql -u root",
    "mysql -psomething",
    "psql -w",
    "rm -rf build",
    "sed -i s/a/b/ file",
    'while read -r line; do echo "$line"; done < file',
    'cat file | while IFS= read -r line; do echo "$line"; done',
    "read -r NAME < file",
    "read -r NAME <<< text",
    "IFS=: read -r a b <<EOF\nx:y\nEOF",
    "less file",
    "sudo -n make install",
    "printf x | sudo -S make install",
    "cat <<'EOF' > script.sh\nread NAME\napt-get install jq\nEOF",
    "echo read the manual",
    "pip install vim",
]


@pytest.mark.parametrize(("script", "word"), ASKING)
def test_a_command_that_asks_is_marked(command: Lint, script: str, word: str) -> None:
    found = command(script)
    assert found.marked("W303") == [word]
    (problem,) = found.of("W303")
    assert not problem.is_error
    assert problem.remedy


@pytest.mark.parametrize("script", NOT_ASKING)
def test_a_command_that_asks_nothing_is_left_alone(command: Lint, script: str) -> None:
    assert command(script).of("W303") == []


@pytest.mark.parametrize(
    "script",
    [
        "curl -fsSL https://a.example/x | sh",
        "curl -fsSL https://a.example/x | sudo -n bash -",
        "wget -qO- https://a.example/x | bash -s -- -y",
        "curl -fsSL https://a.example/x | env A=b python3 -",
        "set -eu\ncurl -fsSL https://a.example/x |\n  bash",
        "curl https://a.example/x | tee file",
        "curl https://a.example/x | sh\nset -o pipefail",
        "(curl https://a.example/x) && curl https://a.example/y | sh",
    ],
)
def test_a_pipe_that_hides_a_failed_download(command: Lint, script: str) -> None:
    found = command(script)
    assert found.marked("W310") in (["curl"], ["wget"])
    assert "pipefail" in found.of("W310")[0].remedy


@pytest.mark.parametrize(
    "script",
    [
        "set -o pipefail; curl https://a.example/x | sh",
        "set -euo pipefail\ncurl https://a.example/x | sh",
        "set -e -o pipefail && curl https://a.example/x | bash",
        "curl https://a.example/x -o x && sh x",
        "curl https://a.example/x | tar xz",
        "curl https://a.example/x | grep -q ready",
        "curl https://a.example/x || sh fallback.sh",
        "curl https://a.example/x; cat file | sh",
        "echo 'curl https://a.example/x | sh'",
        "# curl https://a.example/x | sh",
        "cat script | sh",
    ],
)
def test_other_pipes_are_left_alone(command: Lint, script: str) -> None:
    assert command(script).of("W310") == []


@pytest.mark.parametrize(
    ("script", "hit"),
    [
        ("curl -k https://a.example/x", True),
        ("curl -fsSLk https://a.example/x", True),
        ("curl --insecure https://a.example/x", True),
        ("wget --no-check-certificate https://a.example/x", True),
        ("git -c http.sslVerify=false clone https://a.example/x", True),
        ("npm config set strict-ssl false", True),
        ("pip install --trusted-host a.example x", True),
        ("curl --cacert ca.pem https://a.example/x", False),
        ("curl -K config https://a.example/x", False),
        ("npm config set strict-ssl true", False),
        ("grep -k file", False),
    ],
)
def test_certificates_that_are_not_checked(command: Lint, script: str, hit: bool) -> None:
    assert bool(command(script).of("W304")) == hit


def test_a_blank_after_a_backslash_is_marked(command: Lint) -> None:
    found = command("apt-get install -y \\ \n  jq \\\n  curl")
    (problem,) = found.of("W305")
    assert str(problem.position) == "manifests/box.yaml:3:26"
    assert command("apt-get install -y \\\n  jq").codes == []


def test_a_carriage_return_in_a_command(linted: Lint) -> None:
    assert linted('setup: [{command: "echo a\\r\\n"}]').codes == ["W306"]
    assert linted("setup:\r\n  - command: |\r\n      echo a\r\n      echo b\r\n").codes == []


@pytest.mark.parametrize(
    ("script", "hit"),
    [
        ("cd web", True),
        ("export PATH=/opt/bin:$PATH", True),
        (". venv/bin/activate", True),
        ("source venv/bin/activate", True),
        ("cd web && npm ci", False),
        ("cd web\nnpm ci", False),
        ("npm ci", False),
        ("export A=b; make", False),
    ],
)
def test_a_step_that_changes_nothing(command: Lint, script: str, hit: bool) -> None:
    assert bool(command(script).of("W307")) == hit


NETWORK = "network:\n  allowedHosts: [pypi.example, '*.acme.example']\n"


@pytest.mark.parametrize(
    ("script", "host"),
    [
        ("curl -fsSL https://get.tool.example/x -o x", "get.tool.example"),
        ("wget HTTPS://Get.Tool.Example/x", "Get.Tool.Example"),
        ("git clone https://git.other.example/x.git", "git.other.example"),
        ("curl 'https://acme.example/x'", "acme.example"),
        ("curl https://pypi.example/x", None),
        ("curl https://a.b.acme.example:443/x", None),
        ("git clone git@git.other.example:x.git", None),
        ("curl https://$HOST/x", None),
        ("curl http://localhost:8080/ready", None),
        ("echo https://get.tool.example", None),
        ("# curl https://get.tool.example", None),
    ],
)
def test_a_download_from_a_host_that_is_not_allowed(
    linted: Lint, script: str, host: str | None
) -> None:
    found = linted(f"kind: pod\n{NETWORK}setup:\n  - command: |\n      {script}\n")
    assert found.marked("W308") == ([host] if host else [])


SLOTS = """\
secrets:
  NPM_TOKEN: {type: environment_variable}
  LOG_LEVEL: {type: environment_variable}
  tracker_TOKEN: {type: bearer, url: https://a.example}
setup:
  - command: |
      %s
"""


@pytest.mark.parametrize(
    ("script", "marked"),
    [
        ("echo $GITHUB_TOKEN", ["$GITHUB_TOKEN"]),
        ('run --key "${API_KEY}"', ["${API_KEY"]),
        ("echo $NPM_TOKN", ["$NPM_TOKN"]),
        ("echo $LOG_LEVELS", ["$LOG_LEVELS"]),
        ("echo $DB_PASSWORD $DB_PASSWORD", ["$DB_PASSWORD"]),
        ("echo $NPM_TOKEN", []),
        ("echo ${GITHUB_TOKEN:-none} ${GITHUB_TOKEN:+x}", []),
        ("echo '$GITHUB_TOKEN'", []),
        ("echo \\$GITHUB_TOKEN", []),
        ("GITHUB_TOKEN=$(make-one); echo $GITHUB_TOKEN", []),
        ("export GITHUB_TOKEN=x; echo $GITHUB_TOKEN", []),
        ("read -r GITHUB_TOKEN < f; echo $GITHUB_TOKEN", []),
        (". ./env; echo $GITHUB_TOKEN", []),
        ("echo $HOME $JAVA_HOME $x", []),
        ("# $GITHUB_TOKEN", []),
    ],
)
def test_a_credential_that_no_slot_declares(linted: Lint, script: str, marked: list[str]) -> None:
    assert linted(SLOTS % script).marked("W309") == marked


def test_a_slip_of_the_pen_names_the_slot(linted: Lint) -> None:
    (problem,) = linted(SLOTS % "echo $NPM_TOKN").of("W309")
    assert problem.label == "did you mean `$NPM_TOKEN`?"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("setup:\n  - command: apt-get install jq\n", "2:14"),
        ("setup:\n  - command: 'apt-get install jq'\n", "2:15"),
        ('setup:\n  - command: "set -e\\napt-get install jq"\n', "2:23"),
        ("setup:\n  - command: |\n\n      set -e\n        apt-get install jq\n", "5:9"),
        ("setup:\n  - command: >-  # apt-get\n      set -e &&\n      apt-get install jq\n", "4:7"),
        ("setup:\n  - command: |4\n        echo apt-get; apt-get install jq\n", "3:23"),
        ("\ufeffsetup:\r\n  - command: |\r\n      x\r\n      apt-get install jq\r\n", "4:7"),
        ("setup: [{command: apt-get install jq}]\n", "1:19"),
        ("setup:\n  - command: &a apt-get install jq\n    cwd: x\n", "2:17"),
    ],
)
def test_the_place_is_the_word_s_own(linted: Lint, text: str, place: str) -> None:
    (problem,) = linted(text).of("W303")
    assert str(problem.position) == f"manifests/box.yaml:{place}"


def test_the_place_in_json(linted: Lint) -> None:
    text = '{"setup": [{"command": "set -e\\napt-get install jq"}]}'
    (problem,) = linted(text, "manifests/box.json").of("W303")
    assert str(problem.position) == "manifests/box.json:1:33"


@pytest.mark.parametrize(
    "script", ["echo 'open", 'echo "open', "echo $(open", "cat <<EOF\nno end", "echo `open"]
)
def test_a_script_that_cannot_be_followed_is_left_alone(command: Lint, script: str) -> None:
    assert command(f"{script}\napt-get install jq").codes == []
