"""A secret text shows the same mask however it is shown."""

import copy
import json
import pickle
from dataclasses import asdict, dataclass

import orjson
import pytest

from envsync.contract.secret_text import MASK, SecretText

CANARY = "canary-3f9d0c"


@dataclass(frozen=True)
class Holder:
    key: SecretText


def test_no_way_of_showing_it_shows_it() -> None:
    secret = SecretText(CANARY)
    shown = [
        str(secret),
        repr(secret),
        f"{secret}",
        f"{secret:>40}",
        f"{secret!r}",
        "%s %r" % (secret, secret),  # noqa: UP031
        repr(Holder(secret)),
        repr([secret]),
        repr({"k": secret}),
        json.dumps({"k": secret}, default=str),
        orjson.dumps({"k": secret}, default=str).decode(),
        repr(dir(secret)),
    ]
    assert not any(CANARY in text for text in shown)


def test_the_mask_does_not_tell_the_length() -> None:
    assert str(SecretText("x")) == str(SecretText("x" * 99)) == MASK


def test_one_named_method_gives_it() -> None:
    assert SecretText(CANARY).reveal() == CANARY


def test_it_is_not_serialised_by_accident() -> None:
    secret = SecretText(CANARY)
    with pytest.raises(TypeError):
        json.dumps({"k": secret})
    with pytest.raises(TypeError):
        pickle.dumps(secret)
    with pytest.raises(TypeError):
        copy.deepcopy(secret)
    with pytest.raises(TypeError):
        asdict(Holder(secret))
    with pytest.raises(TypeError):
        vars(secret)


def test_it_compares_by_what_it_holds_and_only_with_its_like() -> None:
    assert SecretText("a") == SecretText("a")
    assert SecretText("a") != SecretText("b")
    assert SecretText("é") == SecretText("é")
    assert SecretText("a") != "a"
    assert len({SecretText("a"), SecretText("a")}) == 1
    assert not SecretText("")
