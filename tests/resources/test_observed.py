"""What a server says of a manifest, as a Resource."""

from __future__ import annotations

from envsync.api.views import ManifestView
from envsync.contract.canonical import digest
from envsync.contract.normalise import normalise
from envsync.resources.observed import observed
from envsync.resources.resource import Base, ObjectId


def test_a_view_becomes_the_same_resource_as_the_file_that_made_it() -> None:
    body = {"kind": "pod", "resources": {"memory": "2GiB"}}
    found = observed(
        ManifestView("box", 7, "aa", "pod", body, "2026-11-30T10:00:00.000Z", "local:alice", 3)
    )
    assert found.id == ObjectId("manifest", "box")
    assert found.base == Base(7, "aa")
    assert found.canonical is not None
    assert digest(found.canonical) == digest(normalise("manifest", body))
    assert (found.saved_by, found.environments) == ("local:alice", 3)


def test_kind_beside_the_manifest_is_kind_inside_it() -> None:
    beside = observed(ManifestView("box", 1, "aa", "pod", {"storage": "5GiB"}))
    inside = observed(ManifestView("box", 1, "aa", "", {"kind": "pod", "storage": "5GiB"}))
    assert beside.canonical == inside.canonical


def test_a_summary_has_no_body() -> None:
    found = observed(ManifestView("box", 1, "aa"))
    assert found.canonical is None
    assert found.environments == -1
