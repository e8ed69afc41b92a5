"""Every way to get a manifest wrong that its schema knows, with the exact words."""

# ruff: noqa: E501 (a message is easier to read and to find in one piece)

from typing import Any

import pytest

from envsync.contract.json_types import pointer_text
from envsync.contract.validator import validator
from envsync.contract.violation import Violation

# What is wrong, the manifest, and of each violation: where, the code, what was found, what was
# expected (it stands under the caret), what to do.
CASES: list[tuple[str, Any, list[tuple[str, str, str, str, str]]]] = [
    (
        "a size with a unit of another tool",
        {"resources": {"memory": "2Gi"}},
        [
            (
                "/resources/memory",
                "E210",
                "`resources.memory` is `2Gi`, which is not a size",
                "expected a whole number above zero and `B`, `KiB`, `MiB`, `GiB` or `TiB`, without a space",
                'write "2GiB"',
            )
        ],
    ),
    (
        "a size with a space",
        {"resources": {"memory": "2 GiB"}},
        [
            (
                "/resources/memory",
                "E210",
                "`resources.memory` is `2 GiB`, which is not a size",
                "expected a whole number above zero and `B`, `KiB`, `MiB`, `GiB` or `TiB`, without a space",
                'write "2GiB"',
            )
        ],
    ),
    (
        "a size in decimal units",
        {"resources": {"memory": "512mb"}},
        [
            (
                "/resources/memory",
                "E210",
                "`resources.memory` is `512mb`, which is not a size",
                "expected a whole number above zero and `B`, `KiB`, `MiB`, `GiB` or `TiB`, without a space",
                'write "512MiB"',
            )
        ],
    ),
    (
        "a size with a fraction",
        {"resources": {"memory": "1.5GiB"}},
        [
            (
                "/resources/memory",
                "E210",
                "`resources.memory` is `1.5GiB`, which is not a size",
                "expected a whole number above zero and `B`, `KiB`, `MiB`, `GiB` or `TiB`, without a space",
                'write "1536MiB"',
            )
        ],
    ),
    (
        "a size without a unit",
        {"resources": {"memory": "2048"}},
        [
            (
                "/resources/memory",
                "E210",
                "`resources.memory` is `2048`, which is not a size",
                "expected a whole number above zero and `B`, `KiB`, `MiB`, `GiB` or `TiB`, without a space",
                'say the unit, such as "2048MiB"',
            )
        ],
    ),
    (
        "a size as a number",
        {"resources": {"memory": 2048}},
        [
            (
                "/resources/memory",
                "E202",
                "`resources.memory` is the number 2048, not text",
                "expected text",
                'say the unit, such as "2048MiB"',
            )
        ],
    ),
    (
        "a size of nothing",
        {"resources": {"memory": "0GiB"}},
        [
            (
                "/resources/memory",
                "E210",
                "`resources.memory` is `0GiB`, which is not a size",
                "expected a whole number above zero and `B`, `KiB`, `MiB`, `GiB` or `TiB`, without a space",
                'write a number and a unit, such as "512MiB" or "2GiB"',
            )
        ],
    ),
    (
        "a size that is a word",
        {"resources": {"memory": "lots"}},
        [
            (
                "/resources/memory",
                "E210",
                "`resources.memory` is `lots`, which is not a size",
                "expected a whole number above zero and `B`, `KiB`, `MiB`, `GiB` or `TiB`, without a space",
                'write a number and a unit, such as "512MiB" or "2GiB"',
            )
        ],
    ),
    (
        "a size with a line end",
        {"kind": "pod", "storage": "20GiB\n"},
        [
            (
                "/storage",
                "E210",
                "`storage` is `20GiB `, which is not a size",
                "expected a whole number above zero and `B`, `KiB`, `MiB`, `GiB` or `TiB`, without a space",
                'write "20GiB"',
            )
        ],
    ),
    (
        "processors as text",
        {"resources": {"cpus": "2"}},
        [
            (
                "/resources/cpus",
                "E202",
                "`resources.cpus` is text, not a number",
                "expected a number",
                "write 2 without quotes",
            )
        ],
    ),
    (
        "no processors",
        {"resources": {"cpus": 0}},
        [
            (
                "/resources/cpus",
                "E206",
                "`resources.cpus` is 0, not more than 0",
                "expected more than 0",
                "write something like `2`",
            )
        ],
    ),
    (
        "processors as a truth value",
        {"resources": {"cpus": True}},
        [
            (
                "/resources/cpus",
                "E202",
                "`resources.cpus` is true, not a number",
                "expected a number",
                "write a number",
            )
        ],
    ),
    (
        "a misspelt key",
        {"network": {"allowed_hosts": []}},
        [
            (
                "/network/allowed_hosts (key)",
                "E201",
                "unknown key `allowed_hosts` in `network`",
                "did you mean `allowedHosts`?",
                "write `allowedHosts`, or remove the key",
            )
        ],
    ),
    (
        "a key in another case",
        {"Kind": "pod"},
        [
            (
                "/Kind (key)",
                "E201",
                "unknown key `Kind`",
                "did you mean `kind`?",
                "write `kind`, or remove the key",
            )
        ],
    ),
    (
        "a key that belongs one level deeper",
        {"cpus": 2},
        [
            (
                "/cpus (key)",
                "E201",
                "unknown key `cpus`",
                "did you mean `resources.cpus`?",
                "write `cpus` inside `resources`",
            )
        ],
    ),
    (
        "a misspelt key that belongs one level deeper",
        {"allowed_hosts": []},
        [
            (
                "/allowed_hosts (key)",
                "E201",
                "unknown key `allowed_hosts`",
                "did you mean `network.allowedHosts`?",
                "write `allowedHosts` inside `network`",
            )
        ],
    ),
    (
        "a key of another tool",
        {"env": {}},
        [
            (
                "/env (key)",
                "E201",
                "unknown key `env`",
                "not a key here",
                "a variable is a slot of `secrets`: `NAME: {type: environment_variable}`",
            )
        ],
    ),
    (
        "a key of nobody",
        {"network": {"quux": 1}},
        [
            (
                "/network/quux (key)",
                "E201",
                "unknown key `quux` in `network`",
                "not a key here",
                "the keys here are `allowedHosts`",
            )
        ],
    ),
    (
        "a kind that is not one",
        {"kind": "vm"},
        [
            (
                "/kind",
                "E204",
                "`kind` is `vm`, not `none`, `virtual` or `pod`",
                "expected `none`, `virtual` or `pod`",
                "write `none`, `virtual` or `pod`",
            )
        ],
    ),
    (
        "a misspelt kind",
        {"kind": "pods", "image": "x"},
        [
            (
                "/kind",
                "E204",
                "`kind` is `pods`, not `none`, `virtual` or `pod`",
                "did you mean `pod`?",
                "write `pod`",
            )
        ],
    ),
    (
        "an image without a pod",
        {"image": "python:3.13-slim"},
        [
            (
                "/image",
                "E208",
                "`image` works only with `kind: pod` (a manifest without `kind` is `virtual`)",
                "needs `kind: pod`",
                "add `kind: pod`, or remove `image`",
            )
        ],
    ),
    (
        "storage without a pod",
        {"kind": "none", "storage": "5GiB"},
        [
            (
                "/storage",
                "E208",
                "`storage` works only with `kind: pod` (a manifest without `kind` is `virtual`)",
                "needs `kind: pod`",
                "add `kind: pod`, or remove `storage`",
            )
        ],
    ),
    (
        "a wildcard without a pod",
        {"network": {"allowedHosts": ["*.pkg.example"]}},
        [
            (
                "/network/allowedHosts/0",
                "E208",
                "a host with a wildcard works only with `kind: pod` (a manifest without `kind` is `virtual`)",
                "needs `kind: pod`",
                "name each host in full, or add `kind: pod`",
            )
        ],
    ),
    (
        "an empty image",
        {"kind": "pod", "image": ""},
        [
            (
                "/image",
                "E207",
                "`image` is empty",
                "expected some text",
                "write it, or remove the key",
            )
        ],
    ),
    (
        "a URL for a host",
        {"network": {"allowedHosts": ["https://pypi.example/simple"]}},
        [
            (
                "/network/allowedHosts/0",
                "E212",
                "`network.allowedHosts[0]` is `https://pypi.example/simple`, which is more than a host name",
                "expected a full host name such as `pypi.example`, or `*.pkg.example`",
                'write "pypi.example"',
            )
        ],
    ),
    (
        "a port",
        {"network": {"allowedHosts": ["pypi.example:443"]}},
        [
            (
                "/network/allowedHosts/0",
                "E212",
                "`network.allowedHosts[0]` is `pypi.example:443`, which is more than a host name",
                "expected a full host name such as `pypi.example`, or `*.pkg.example`",
                'write "pypi.example"',
            )
        ],
    ),
    (
        "a URL with a password for a host",
        {"network": {"allowedHosts": ["https://me:hunter2@pypi.example"]}},
        [
            (
                "/network/allowedHosts/0",
                "E212",
                "`network.allowedHosts[0]` is `https://...@pypi.example`, which is more than a host name",
                "expected a full host name such as `pypi.example`, or `*.pkg.example`",
                'write "pypi.example"',
            )
        ],
    ),
    (
        "an address",
        {"network": {"allowedHosts": ["10.0.0.1"]}},
        [
            (
                "/network/allowedHosts/0",
                "E212",
                "`network.allowedHosts[0]` is `10.0.0.1`, which is not a host name",
                "expected a full host name such as `pypi.example`, or `*.pkg.example`",
                "name the host: an address is not allowed",
            )
        ],
    ),
    (
        "an address of version 6",
        {"network": {"allowedHosts": ["[::1]"]}},
        [
            (
                "/network/allowedHosts/0",
                "E212",
                "`network.allowedHosts[0]` is `[::1]`, which is not a host name",
                "expected a full host name such as `pypi.example`, or `*.pkg.example`",
                "name the host: an address is not allowed",
            )
        ],
    ),
    (
        "a single label",
        {"network": {"allowedHosts": ["localhost"]}},
        [
            (
                "/network/allowedHosts/0",
                "E212",
                "`network.allowedHosts[0]` is `localhost`, which is not a host name",
                "expected a full host name such as `pypi.example`, or `*.pkg.example`",
                "write the full name: it has at least two labels, with a dot between",
            )
        ],
    ),
    (
        "every host",
        {"network": {"allowedHosts": ["*"]}},
        [
            (
                "/network/allowedHosts/0",
                "E212",
                "`network.allowedHosts[0]` is `*`, which is not a host name",
                "expected a full host name such as `pypi.example`, or `*.pkg.example`",
                "name the hosts: no pattern stands for every host",
            )
        ],
    ),
    (
        "a wildcard in the middle",
        {"kind": "pod", "network": {"allowedHosts": ["a.*.example"]}},
        [
            (
                "/network/allowedHosts/0",
                "E212",
                "`network.allowedHosts[0]` is `a.*.example`, which is not a host name",
                "expected a full host name such as `pypi.example`, or `*.pkg.example`",
                'a wildcard is only the first label, such as "*.pkg.example"',
            )
        ],
    ),
    (
        "a host that is not ASCII",
        {"network": {"allowedHosts": ["bücher.example"]}},
        [
            (
                "/network/allowedHosts/0",
                "E212",
                "`network.allowedHosts[0]` is `bücher.example`, which is not a host name",
                "expected a full host name such as `pypi.example`, or `*.pkg.example`",
                'write "xn--bcher-kva.example"',
            )
        ],
    ),
    (
        "an underscore in a host",
        {"network": {"allowedHosts": ["my_host.example"]}},
        [
            (
                "/network/allowedHosts/0",
                "E212",
                "`network.allowedHosts[0]` is `my_host.example`, which is not a host name",
                "expected a full host name such as `pypi.example`, or `*.pkg.example`",
                "labels are 1-63 letters, digits and `-`, with dots between them",
            )
        ],
    ),
    (
        "one host instead of a list",
        {"network": {"allowedHosts": "pypi.example"}},
        [
            (
                "/network/allowedHosts",
                "E202",
                "`network.allowedHosts` is text, not a list",
                "expected a list",
                "write a list: each item on its own line after `- `",
            )
        ],
    ),
    (
        "a duration with a word",
        {"lifecycle": {"idle": "30 min"}},
        [
            (
                "/lifecycle/idle",
                "E211",
                "`lifecycle.idle` is `30 min`, which is not a duration",
                "expected a whole number above zero and `ms`, `s`, `m`, `h` or `d`, without a space",
                'write "30m"',
            )
        ],
    ),
    (
        "a duration in two parts",
        {"lifecycle": {"idle": "1h30m"}},
        [
            (
                "/lifecycle/idle",
                "E211",
                "`lifecycle.idle` is `1h30m`, which is not a duration",
                "expected a whole number above zero and `ms`, `s`, `m`, `h` or `d`, without a space",
                'write "90m"',
            )
        ],
    ),
    (
        "a duration without a unit",
        {"lifecycle": {"idle": "30"}},
        [
            (
                "/lifecycle/idle",
                "E211",
                "`lifecycle.idle` is `30`, which is not a duration",
                "expected a whole number above zero and `ms`, `s`, `m`, `h` or `d`, without a space",
                'say the unit, such as "30m" for minutes',
            )
        ],
    ),
    (
        "a duration as a number",
        {"lifecycle": {"idle": 30}},
        [
            (
                "/lifecycle/idle",
                "E202",
                "`lifecycle.idle` is the number 30, not text",
                "expected text",
                'say the unit, such as "30m" for minutes',
            )
        ],
    ),
    (
        "weeks",
        {"lifecycle": {"deleteAfter": "2w"}},
        [
            (
                "/lifecycle/deleteAfter",
                "E211",
                "`lifecycle.deleteAfter` is `2w`, which is not a duration",
                "expected a whole number above zero and `ms`, `s`, `m`, `h` or `d`, without a space",
                'write "14d"',
            )
        ],
    ),
    (
        "a duration of nothing",
        {"lifecycle": {"idle": "0s"}},
        [
            (
                "/lifecycle/idle",
                "E211",
                "`lifecycle.idle` is `0s`, which is not a duration",
                "expected a whole number above zero and `ms`, `s`, `m`, `h` or `d`, without a space",
                'write a number and a unit, such as "90s", "30m" or "7d"',
            )
        ],
    ),
    (
        "a duration that is a word",
        {"lifecycle": {"idle": "never"}},
        [
            (
                "/lifecycle/idle",
                "E211",
                "`lifecycle.idle` is `never`, which is not a duration",
                "expected a whole number above zero and `ms`, `s`, `m`, `h` or `d`, without a space",
                'write a number and a unit, such as "90s", "30m" or "7d"',
            )
        ],
    ),
    (
        "a step as text",
        {"setup": ["npm ci"]},
        [
            (
                "/setup/0",
                "E202",
                "`setup[0]` is text, not a mapping",
                "expected a mapping",
                "write each step as `- command: ...`",
            )
        ],
    ),
    (
        "a step without a command",
        {"setup": [{"cwd": "web"}]},
        [
            (
                "/setup/0",
                "E203",
                "`setup[0]` has no key `command`",
                "expected the key `command`",
                "add `command`, such as `command: uv sync --frozen`",
            )
        ],
    ),
    (
        "an empty command",
        {"setup": [{"command": ""}]},
        [
            (
                "/setup/0/command",
                "E207",
                "`setup[0].command` is empty",
                "expected some text",
                "write it, or remove the key",
            )
        ],
    ),
    (
        "a key without a value",
        {"setup": None},
        [
            (
                "/setup",
                "E202",
                "`setup` is empty (null), not a list",
                "expected a list",
                "give it a value, or remove the key",
            )
        ],
    ),
    (
        "files that tell no shape",
        {"files": [{"path": "x"}]},
        [
            (
                "/files/0",
                "E209",
                "`files[0]` fits none of its shapes",
                "expected inline files (`path` and `files`) or artifact folder (`path`, `artifactId` and `version`)",
                "write `path` and `files`, or `path`, `artifactId` and `version`",
            )
        ],
    ),
    (
        "files as text",
        {"files": ["x"]},
        [
            (
                "/files/0",
                "E202",
                "`files[0]` is text, not a mapping",
                "expected a mapping",
                "write `path` and `files`, or `path`, `artifactId` and `version`",
            )
        ],
    ),
    (
        "an artifact without a version",
        {"files": [{"path": "x", "artifactId": "af_1"}]},
        [
            (
                "/files/0",
                "E203",
                "`files[0]` has no key `version`",
                "expected the key `version`",
                "add `version`, such as `version: 1`",
            )
        ],
    ),
    (
        "a version of zero",
        {"files": [{"path": "x", "artifactId": "af_1", "version": 0}]},
        [
            (
                "/files/0/version",
                "E206",
                "`files[0].version` is 0, not at least 1",
                "expected at least 1",
                "write something like `1`",
            )
        ],
    ),
    (
        "a version as text",
        {"files": [{"path": "x", "artifactId": "af_1", "version": "3"}]},
        [
            (
                "/files/0/version",
                "E202",
                "`files[0].version` is text, not a whole number",
                "expected a whole number",
                "write 3 without quotes",
            )
        ],
    ),
    (
        "inline files with a stray key",
        {"files": [{"path": "x", "files": {}, "mode": "0755"}]},
        [
            (
                "/files/0/mode (key)",
                "E201",
                "unknown key `mode` in `files[0]`",
                "not a key here",
                "the keys here are `path` and `files`",
            )
        ],
    ),
    (
        "an inline file that is not text",
        {"files": [{"path": "x", "files": {"a.json": {"b": 1}}}]},
        [
            (
                "/files/0/files/a.json",
                "E202",
                "`files[0].files.a.json` is a mapping, not text",
                "expected text",
                "write text; several lines stand below `|`, each indented",
            )
        ],
    ),
    (
        "a secret's value in place of its slot",
        {"secrets": {"T": "ghp_canary"}},
        [
            (
                "/secrets/T",
                "E202",
                "`secrets.T` is text, not a mapping",
                "expected a mapping",
                "say what the slot takes, such as `{type: environment_secret, allowedHosts: [api.github.example]}`; a value never stands in a manifest",
            )
        ],
    ),
    (
        "a secret's value inside its slot",
        {"secrets": {"T": {"type": "environment_variable", "value": "ghp_canary"}}},
        [
            (
                "/secrets/T/value (key)",
                "E201",
                "unknown key `value` in `secrets.T`",
                "not a key here",
                "remove it: a value never stands in a manifest, it is set for each Environment",
            )
        ],
    ),
    (
        "a slot without a type",
        {"secrets": {"T": {"allowedHosts": ["a.example"]}}},
        [
            (
                "/secrets/T",
                "E203",
                "`secrets.T` has no key `type`",
                "expected the key `type`",
                "add `type`, such as `type: environment_secret`",
            )
        ],
    ),
    (
        "a slot of an unknown type",
        {"secrets": {"T": {"type": "token"}}},
        [
            (
                "/secrets/T/type",
                "E204",
                "`secrets.T.type` is `token`, not `environment_secret`, `environment_variable`, `bearer` or `headers`",
                "expected `environment_secret`, `environment_variable`, `bearer` or `headers`",
                "write `environment_secret`, `environment_variable`, `bearer` or `headers`",
            )
        ],
    ),
    (
        "a slot without hosts",
        {"secrets": {"T": {"type": "environment_secret"}}},
        [
            (
                "/secrets/T",
                "E203",
                "`secrets.T` has no key `allowedHosts`",
                "expected the key `allowedHosts`",
                "add `allowedHosts`",
            )
        ],
    ),
    (
        "a slot with an empty list of hosts",
        {"secrets": {"T": {"type": "environment_secret", "allowedHosts": []}}},
        [
            (
                "/secrets/T/allowedHosts",
                "E207",
                "`secrets.T.allowedHosts` has 0 items; it takes at least 1 item",
                "expected at least 1 item",
                "add what is missing",
            )
        ],
    ),
    (
        "a slot with a wildcard",
        {"secrets": {"T": {"type": "environment_secret", "allowedHosts": ["*.a.example"]}}},
        [
            (
                "/secrets/T/allowedHosts/0",
                "E212",
                "`secrets.T.allowedHosts[0]` is `*.a.example`, but a secret goes only to exact hosts",
                "expected a full host name such as `api.github.example`",
                "name each host that gets the value",
            )
        ],
    ),
    (
        "a slot with hosts that takes none",
        {
            "secrets": {
                "T": {"type": "bearer", "url": "https://a.example", "allowedHosts": ["a.example"]}
            }
        },
        [
            (
                "/secrets/T/allowedHosts (key)",
                "E201",
                "unknown key `allowedHosts` in `secrets.T`",
                "not a key here",
                "the keys here are `type`, `required`, `description`, `url`, `via` and `identity`",
            )
        ],
    ),
    (
        "a slot with a URL that holds a password",
        {"secrets": {"T": {"type": "bearer", "url": "https://u:ghp_canary@a.example/x"}}},
        [
            (
                "/secrets/T/url",
                "E213",
                "`secrets.T.url` holds a user name or a password",
                "expected an absolute URL such as `https://mcp.tracker.example/mcp`",
                "remove what stands before the `@`: the slot's own value is the credential",
            )
        ],
    ),
    (
        "a slot with a URL without scheme",
        {"secrets": {"T": {"type": "headers", "url": "tools.acme.example/api"}}},
        [
            (
                "/secrets/T/url",
                "E213",
                "`secrets.T.url` is `tools.acme.example/api`, which has no scheme",
                "expected an absolute URL such as `https://mcp.tracker.example/mcp`",
                'write "https://tools.acme.example/api"',
            )
        ],
    ),
    (
        "a slot with a URL with a space",
        {"secrets": {"T": {"type": "headers", "url": "https://a.example/a b"}}},
        [
            (
                "/secrets/T/url",
                "E213",
                "`secrets.T.url` is `https://a.example/a b`, which has a space",
                "expected an absolute URL such as `https://mcp.tracker.example/mcp`",
                "remove the space, or write it as %20",
            )
        ],
    ),
    (
        "a slot with a URL of another scheme",
        {"secrets": {"T": {"type": "headers", "url": "ftp://a.example/"}}},
        [
            (
                "/secrets/T/url",
                "E213",
                "`secrets.T.url` is `ftp://a.example/`, which is not an absolute http or https URL",
                "expected an absolute URL such as `https://mcp.tracker.example/mcp`",
                "write the whole URL, with https:// at its start",
            )
        ],
    ),
    (
        "a proxy over http",
        {
            "secrets": {
                "T": {
                    "type": "bearer",
                    "url": "https://a.example",
                    "via": "http://gw.example/x?y=1",
                }
            }
        },
        [
            (
                "/secrets/T/via",
                "E213",
                "`secrets.T.via` is `http://gw.example/x`, and http is only for this machine itself",
                "expected an absolute https URL without user name, query or fragment",
                'write "https://gw.example/x"',
            )
        ],
    ),
    (
        "a proxy with a query",
        {
            "secrets": {
                "T": {
                    "type": "bearer",
                    "url": "https://a.example",
                    "via": "https://gw.example/x?y=1",
                }
            }
        },
        [
            (
                "/secrets/T/via",
                "E213",
                "`secrets.T.via` is `https://gw.example/x` with a query or a fragment",
                "expected an absolute https URL without user name, query or fragment",
                'write "https://gw.example/x"',
            )
        ],
    ),
    (
        "a secret in the place of the format",
        {
            "secrets": {
                "T": {
                    "type": "environment_secret",
                    "allowedHosts": ["a.example"],
                    "inject": {"header": "Authorization", "format": "Bearer ghp_canary"},
                }
            }
        },
        [
            (
                "/secrets/T/inject/format",
                "E214",
                "`secrets.T.inject.format` does not hold `{value}`, the place where the secret's value goes",
                "expected `{value}` exactly once, alone or inside one `{base64:...}`",
                'write "Bearer {value}", or "Basic {base64:user:{value}}"',
            )
        ],
    ),
    (
        "the value twice in the format",
        {
            "secrets": {
                "T": {
                    "type": "environment_secret",
                    "allowedHosts": ["a.example"],
                    "inject": {"header": "Authorization", "format": "{value}:{value}"},
                }
            }
        },
        [
            (
                "/secrets/T/inject/format",
                "E214",
                "`secrets.T.inject.format` holds `{value}` 2 times",
                "expected `{value}` exactly once, alone or inside one `{base64:...}`",
                'write "Bearer {value}", or "Basic {base64:user:{value}}"',
            )
        ],
    ),
    (
        "other braces in the format",
        {
            "secrets": {
                "T": {
                    "type": "environment_secret",
                    "allowedHosts": ["a.example"],
                    "inject": {"header": "Authorization", "format": "{hex:{value}}"},
                }
            }
        },
        [
            (
                "/secrets/T/inject/format",
                "E214",
                "`secrets.T.inject.format` holds braces or line ends beside `{value}`",
                "expected `{value}` exactly once, alone or inside one `{base64:...}`",
                'write "Bearer {value}", or "Basic {base64:user:{value}}"',
            )
        ],
    ),
    (
        "half an injection",
        {
            "secrets": {
                "T": {
                    "type": "environment_secret",
                    "allowedHosts": ["a.example"],
                    "inject": {"header": "X-Api-Key"},
                }
            }
        },
        [
            (
                "/secrets/T/inject",
                "E203",
                "`secrets.T.inject` has no key `format`",
                "expected the key `format`",
                "add `format`, such as `format: Bearer {value}`",
            )
        ],
    ),
    (
        "a header with a colon",
        {
            "secrets": {
                "T": {
                    "type": "bearer",
                    "url": "https://a.example",
                    "identity": {"header": "X-User:"},
                }
            }
        },
        [
            (
                "/secrets/T/identity/header",
                "E214",
                "`secrets.T.identity.header` is `X-User:`, which is not the name of a header",
                "expected the name of an HTTP header",
                'write "X-User"',
            )
        ],
    ),
    (
        "a truth value in quotes",
        {"secrets": {"T": {"type": "environment_variable", "required": "yes"}}},
        [
            (
                "/secrets/T/required",
                "E202",
                "`secrets.T.required` is text, not true or false",
                "expected true or false",
                "write true or false, without quotes",
            )
        ],
    ),
    (
        "a name outside the grammar",
        {"name": "analyst box"},
        [
            (
                "/name",
                "E215",
                "`name` is `analyst box`, which cannot name a manifest",
                "expected 1-64 letters, digits, `.`, `_` and `-`, starting with a letter or digit",
                'write "analyst-box"',
            )
        ],
    ),
    (
        "a document that is a list",
        [],
        [
            (
                "",
                "E202",
                "the document is a list, not a mapping",
                "expected a mapping",
                "write keys and values, such as `key: value`",
            )
        ],
    ),
]


def row(violation: Violation) -> tuple[str, str, str, str, str]:
    where = pointer_text(violation.pointer) + (" (key)" if violation.on_key else "")
    return where, violation.code, violation.message, violation.label, violation.remedy


@pytest.mark.parametrize(
    ("body", "rows"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_mistake_is_said_in_these_words(
    body: Any, rows: list[tuple[str, str, str, str, str]]
) -> None:
    schema = validator("environment-manifest")
    assert not schema.is_valid(body)
    assert [row(violation) for violation in schema.violations(body)] == rows


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_every_message_says_what_was_found_and_what_to_do(case: Any) -> None:
    for _, code, message, label, remedy in case[2]:
        assert code.startswith("E2")
        assert message
        assert label
        assert remedy


def test_several_mistakes_come_in_the_order_of_the_document() -> None:
    body = {
        "setup": [{"command": ""}, {"run": "x", "command": "y"}],
        "kind": "vm",
        "resources": {"memory": "2Gi", "cpu": 2},
    }
    pointers = [
        pointer_text(each.pointer) for each in validator("environment-manifest").violations(body)
    ]
    assert pointers == [
        "/setup/0/command",
        "/setup/1/run",
        "/kind",
        "/resources/memory",
        "/resources/cpu",
    ]


@pytest.mark.parametrize(
    "body",
    [
        {"secrets": {"T": "canary"}},
        {"secrets": {"T": {"type": "bearer", "url": "https://canary@a.example"}}},
        {"secrets": {"T": {"type": "bearer", "url": "https://x", "token": "canary"}}},
        {
            "secrets": {
                "T": {"type": "headers", "url": "https://a.example", "headers": {"X": "canary"}}
            }
        },
        {"secrets": ["canary"]},
        {"files": [{"path": "x", "files": ["canary"]}]},
        {"network": {"allowedHosts": ["https://user:canary@a.example/x"]}},
    ],
)
def test_no_message_repeats_what_may_be_a_secret(body: Any) -> None:
    violations = validator("environment-manifest").violations(body)
    assert violations
    assert "canary" not in repr(violations)


def test_a_long_value_is_cut_and_stays_on_one_line() -> None:
    body = {"resources": {"memory": "x\n" * 500}}
    (violation,) = validator("environment-manifest").violations(body)
    assert len(violation.message) < 120
    assert "\n" not in violation.message
