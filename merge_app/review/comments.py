"""Comments: on a request, an object, a cell of the matrix, a row, a column or a value; in threads that are resolved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from catalog_app.domain.operations import ObjectKind
from catalog_app.domain.roles import Action, Principal
from catalog_app.rules.loader import load_rules
from catalog_app.selectors.objects import databases_load, tables_load
from catalog_app.selectors.people import action_require, person_id
from catalog_app.selectors.snapshots import branch_snapshot
from lakeui.common.errors import InvalidValue, NotFound, PermissionDenied
from merge_app.review.models import Comment, CommentPlace, MergeRequest, Suggestion, TimelineKind
from merge_app.review.requests import request_lock, request_touch
from merge_app.review.timeline import Event, timeline_append


@dataclass(frozen=True, slots=True)
class Anchor:
    """What a comment is on: the request (nothing set), or an object. With ``rule_table`` and operations it is a cell of
    the rules, with ``row_key`` a row, with ``column_id`` a column, with both the value of the column in the row.
    """

    object_kind: str = ""
    object_id: int | None = None
    rule_table: str = ""
    source_op: str = ""
    dest_op: str = ""
    row_key: str = ""
    column_id: int | None = None

    @property
    def place(self) -> CommentPlace:
        if self.object_id is None:
            return CommentPlace.REQUEST
        if self.rule_table:
            return CommentPlace.CELL
        if self.row_key:
            return CommentPlace.ROW if self.column_id is None else CommentPlace.VALUE
        return CommentPlace.OBJECT if self.column_id is None else CommentPlace.COLUMN


@dataclass(frozen=True, slots=True)
class CommentDraft:
    """A comment as it is handed in; ``thread_id`` is the comment that it answers, whose anchor it takes.
    ``suggestion``: the value that its cell had, and the one that it is to have.
    """

    body: str
    anchor: Anchor = Anchor()
    thread_id: int | None = None
    suggestion: tuple[Any, Any] | None = None


def comment_add(
    *, principal: Principal, request: MergeRequest, draft: CommentDraft, check: Callable[[Comment], None] | None = None
) -> Comment:
    """Add a comment; a finished request takes comments too. ``check`` sees one with a suggestion, and may object."""
    action_require(principal, request.catalog, Action.COMMENT)
    with transaction.atomic():
        locked = request_lock(request.pk)
        thread = _thread(locked, draft.thread_id) if draft.thread_id is not None else None
        anchor = _anchor_of(thread) if thread else _checked(draft.anchor)
        name = thread.object_name if thread else _object_name(locked, anchor)
        column = thread.column_name if thread else _column_name(locked, anchor)
        comment = Comment.objects.create(
            request=locked,
            thread=thread,
            author_id=person_id(principal),
            body=draft.body,
            place=anchor.place,
            object_kind=anchor.object_kind,
            object_id=anchor.object_id,
            object_name=name,
            rule_table=anchor.rule_table,
            source_op=anchor.source_op,
            dest_op=anchor.dest_op,
            row_key=anchor.row_key,
            column_id=anchor.column_id,
            column_name=column,
        )
        if draft.suggestion is not None:
            was, value = draft.suggestion
            Suggestion.objects.create(comment=comment, was=was, value=value)
            if check is not None:
                check(comment)
        _changed(locked, comment, principal, "added")
    return comment


def _object_name(request: MergeRequest, anchor: Anchor) -> str:
    """The object's full name on the target, or on the source where only that has it; "" where neither does."""
    for branch in (request.destination, request.source):
        if anchor.object_id is None:
            continue
        snapshot, database_id, name = branch_snapshot(branch), anchor.object_id, ""
        if anchor.object_kind == ObjectKind.TABLE:
            table = tables_load(snapshot, [anchor.object_id]).get(anchor.object_id)
            if table is None:
                continue
            database_id, name = table.database_id, f".{table.name}"
        database = databases_load(snapshot, [database_id]).get(database_id)
        if database is not None:
            return f"{database.name}{name}"
    return ""


def _column_name(request: MergeRequest, anchor: Anchor) -> str:
    """The column's name on the target, or on the source where only that has it. Raises InvalidValue where neither
    has it.
    """
    if anchor.object_id is None or anchor.column_id is None:
        return ""
    for branch in (request.destination, request.source):
        table = tables_load(branch_snapshot(branch), [anchor.object_id]).get(anchor.object_id)
        for column in table.schema.columns if table else ():
            if column.id == anchor.column_id:
                return column.name
    raise InvalidValue(
        f"The table has no column {anchor.column_id} on either branch.",
        remedy="Send the id of a column, as the comparison of the table shows it.",
    )


def comment_edit(*, principal: Principal, comment: Comment, body: str) -> Comment:
    """Change one's own comment; that it was edited shows."""
    with transaction.atomic():
        request, locked = _own(principal, comment)
        locked.body, locked.edited_at = body, timezone.now()
        locked.save(update_fields=["body", "edited_at"])
        _changed(request, locked, principal, "edited")
    return locked


def comment_delete(*, principal: Principal, comment: Comment) -> None:
    """Take one's own comment away. Its place stays, so that answers keep what they answer."""
    with transaction.atomic():
        request, locked = _own(principal, comment)
        locked.body, locked.deleted_at = "", timezone.now()
        locked.save(update_fields=["body", "deleted_at"])
        _changed(request, locked, principal, "deleted")


def thread_resolve(*, principal: Principal, comment: Comment, is_resolved: bool) -> Comment:
    """Mark the thread that the comment begins as settled, or as open again. Doing so twice is fine."""
    action_require(principal, comment.request.catalog, Action.COMMENT)
    if comment.thread_id is not None:
        raise InvalidValue(
            "Threads are resolved as a whole.", remedy=f"Resolve comment {comment.thread_id}, which begins this one."
        )
    with transaction.atomic():
        request = request_lock(comment.request_id)
        locked = Comment.objects.select_related("author").get(pk=comment.pk)
        if (locked.resolved_at is not None) != is_resolved:
            locked.resolved_at = timezone.now() if is_resolved else None
            locked.resolved_by_id = person_id(principal) if is_resolved else None
            locked.save(update_fields=["resolved_at", "resolved_by"])
            _changed(request, locked, principal, "resolved" if is_resolved else "reopened")
    return locked


def _own(principal: Principal, comment: Comment) -> tuple[MergeRequest, Comment]:
    action_require(principal, comment.request.catalog, Action.COMMENT)
    request = request_lock(comment.request_id)
    locked = Comment.objects.select_related("author").get(pk=comment.pk)
    if locked.deleted_at is not None:
        raise NotFound("comment", str(comment.pk), where="any more: it was deleted")
    if locked.author_id != person_id(principal):
        raise PermissionDenied(
            "Only its author changes or deletes a comment.", remedy=f"Ask {locked.author.get_username()}."
        )
    return request, locked


def _thread(request: MergeRequest, comment_id: int) -> Comment:
    """The comment that begins the thread of the one that is answered."""
    found = Comment.objects.filter(request=request, pk=comment_id).select_related("thread").first()
    if found is None:
        raise NotFound("comment", str(comment_id), where="on this request")
    return found.thread or found


def _anchor_of(comment: Comment) -> Anchor:
    return Anchor(
        comment.object_kind,
        comment.object_id,
        comment.rule_table,
        comment.source_op,
        comment.dest_op,
        comment.row_key,
        comment.column_id,
    )


def _checked(anchor: Anchor) -> Anchor:
    """The anchor, if it names what can be there. Which objects a request has changes; an old anchor may dangle."""
    if anchor.object_id is None:
        if anchor != Anchor():
            raise InvalidValue(
                "A comment on a part of an object needs the object.", remedy="Send object_kind and object_id."
            )
        return anchor
    if anchor.object_kind not in (ObjectKind.DATABASE, ObjectKind.TABLE):
        raise InvalidValue("A comment is on a database or a table.", remedy="Send object_kind as one of them.")
    is_on_data = bool(anchor.row_key) or anchor.column_id is not None
    if is_on_data and anchor.object_kind != ObjectKind.TABLE:
        raise InvalidValue("Only a table has rows and columns.", remedy="Send object_kind table, or no row and column.")
    if not (anchor.rule_table or anchor.source_op or anchor.dest_op):
        return anchor
    if is_on_data:
        raise InvalidValue(
            "A comment is on a cell of the rule table, or on a row and column of the data.",
            remedy="Send rule_table with its operations, or row_key and column_id.",
        )
    table = load_rules().tables.get(anchor.rule_table)
    axes = {axis.key for axis in table.axes} if table else set()
    if not {anchor.source_op, anchor.dest_op} <= axes:
        raise InvalidValue(
            f"There is no cell {anchor.source_op} × {anchor.dest_op} in the rule table {anchor.rule_table!r}.",
            remedy="The rule tables and their axes are listed at /api/v1/rules/.",
        )
    return anchor


def _changed(request: MergeRequest, comment: Comment, principal: Principal, what: str) -> None:
    details = {
        "comment": comment.pk,
        "what": what,
        "place": str(comment.place),
        "object_id": comment.object_id,
        "object": comment.object_name,
    }
    if comment.row_key:
        details["row"] = comment.row_key
    if comment.column_name:
        details["column"] = comment.column_name
    timeline_append(request, Event(TimelineKind.COMMENTED, principal.user_id, details=details))
    request_touch(request)
