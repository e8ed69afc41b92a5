"""What ships with the program is found, in a checkout and in a wheel."""

import pytest

from envsync.contract.assets import asset


@pytest.mark.parametrize(
    "relative",
    ["schemas", "schemas/environment-manifest.schema.json", "schemas/codes", "sample-repo"],
)
def test_an_asset_is_found(relative: str) -> None:
    assert asset(relative).exists()


def test_an_asset_that_does_not_ship_is_an_error() -> None:
    with pytest.raises(FileNotFoundError, match="envsync ships no schemas/nothing"):
        asset("schemas/nothing.json")
