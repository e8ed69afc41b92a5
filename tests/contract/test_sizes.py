"""Sizes: a whole number above zero and a binary unit, without a space."""

import pytest

from envsync.contract.sizes import parse_size, to_gibibytes_text, to_mebibytes_text


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1B", 1),
        ("1KiB", 1024),
        ("512MiB", 512 * 1024**2),
        ("2GiB", 2 * 1024**3),
        ("1TiB", 1024**4),
        ("007GiB", 7 * 1024**3),
    ],
)
def test_a_size_is_read_in_bytes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2",
        "2Gi",
        "2GB",
        "2gib",
        "2 GiB",
        " 2GiB",
        "2GiB\n",
        "-2GiB",
        "+2GiB",
        "1.5GiB",
        "0GiB",
        "GiB",
        "٢GiB",
        "9" * 40 + "B",
        "8388608TiB",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"size|zero|EiB"):
        parse_size(text)


def test_sizes_are_rounded_up_to_the_unit_they_are_shown_in() -> None:
    assert to_mebibytes_text(2 * 1024**3) == "2048MiB"
    assert to_mebibytes_text(1) == "1MiB"
    assert to_mebibytes_text(1024**2 + 1) == "2MiB"
    assert to_gibibytes_text(5 * 1024**3) == "5GiB"
    assert to_gibibytes_text(5 * 1024**3 + 1) == "6GiB"
