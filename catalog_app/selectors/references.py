"""What the reference in an address means: a branch, a tag, or the version that one commit made."""

from __future__ import annotations

from django.db.models import QuerySet

from catalog_app.models import Branch, Catalog, Commit
from catalog_app.selectors.snapshots import Snapshot, branch_get, branch_snapshot, version_check
from catalog_app.selectors.tags import tag_get
from lakeui.common.errors import InvalidValue, NotFound

BRANCH, TAG, VERSION = "branch:", "tag:", "version:"
_DIGITS = 18


def snapshot_of(catalog: Catalog, reference: str) -> Snapshot:
    """The look-up chain that the reference names. Raises NotFound and InvalidValue.

    ``version:16`` is what commit 16 of the catalog made, on whatever branch. A name without a word before it is a
    branch's. One that begins with one of the words is reached by ``branch:``.
    """
    if reference.startswith(TAG):
        tag = tag_get(catalog, reference.removeprefix(TAG))
        return branch_snapshot(tag.branch).at(version_check(tag.branch, tag.version))
    if reference.startswith(VERSION):
        return _version(catalog, reference.removeprefix(VERSION))
    return branch_snapshot(branch_get(catalog, reference.removeprefix(BRANCH)))


def _version(catalog: Catalog, text: str) -> Snapshot:
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise InvalidValue(
            f"{text!r} is not a version.", remedy="Write version: and the number that SHOW HISTORY says."
        )
    made = _commits(catalog, int(text)).select_related("branch").first()
    if made is None:
        raise NotFound("version", text, where=f"on any branch of catalog {catalog.name}")
    return branch_snapshot(made.branch).at(version_check(made.branch, made.version))


def _commits(catalog: Catalog, version: int) -> QuerySet[Commit]:
    """On branches that people see."""
    living = Branch.objects.filter(catalog=catalog, dropped_at__isnull=True, is_workspace=False)
    return Commit.objects.filter(catalog=catalog, version=version, branch__in=living)
