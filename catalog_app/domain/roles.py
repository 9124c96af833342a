"""Who may do what in a catalog: roles, actions, and the one table that says which role each action takes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import total_ordering


@total_ordering
class Role(Enum):
    """What somebody is in one catalog. Each role may do all that the roles before it may."""

    VIEWER = "viewer"
    CONTRIBUTOR = "contributor"
    REVIEWER = "reviewer"
    MAINTAINER = "maintainer"
    OWNER = "owner"

    @property
    def rank(self) -> int:
        return list(Role).index(self)

    def __lt__(self, other: Role) -> bool:
        return self.rank < other.rank


@total_ordering
class Standing(Enum):
    """What somebody is on the server, whatever their roles in catalogs."""

    PERSON = "person"
    STAFF = "staff"
    SUPERUSER = "superuser"

    @property
    def rank(self) -> int:
        return list(Standing).index(self)

    def __lt__(self, other: Standing) -> bool:
        return self.rank < other.rank


class Scope(StrEnum):
    """What a token may be used for, whatever its user may do. Every token may read."""

    READ = "read"
    WRITE = "write"
    MERGE = "merge"
    ADMIN = "admin"


class CatalogScope(str):
    """A catalog, by its id, that a token is limited to. A token with none of them has no such limit."""

    __slots__ = ()

    @classmethod
    def of(cls, catalog_id: int) -> CatalogScope:
        return cls(f"{CATALOG_SCOPE}{catalog_id}")

    @property
    def catalog_id(self) -> int:
        return int(self.removeprefix(CATALOG_SCOPE))


CATALOG_SCOPE = "catalog:"

Scopes = frozenset[Scope | CatalogScope]
"""All that limits what a token may be used for. It goes along with the work that a request begins."""


def scopes_read(texts: Iterable[str]) -> Scopes:
    """The scopes that were kept as texts."""
    return frozenset(CatalogScope(text) if text.startswith(CATALOG_SCOPE) else Scope(text) for text in texts)


def catalogs_of(scopes: Collection[Scope | CatalogScope] | None) -> frozenset[int] | None:
    """Ids of the catalogs that these limit to; None where they limit to none."""
    found = frozenset(scope.catalog_id for scope in scopes or () if isinstance(scope, CatalogScope))
    return found or None


class Action(StrEnum):
    """What a statement or a request does to a catalog, as far as rights go."""

    CREATE_CATALOG = "create catalog"
    MANAGE_TOKENS = "manage tokens"
    MANAGE_ACCOUNT = "manage account"
    MANAGE_PEOPLE = "manage people"
    MANAGE_GROUPS = "manage groups"
    MANAGE_AGENTS = "manage agents"
    READ = "read"
    LEAVE_CATALOG = "leave catalog"
    COMMENT = "comment"
    SAVE_QUERY = "save query"
    DELETE_STATEMENTS = "delete statements"
    WRITE = "write"
    CREATE_BRANCH = "create branch"
    DROP_BRANCH = "drop branch"
    CREATE_TAG = "create tag"
    OPEN_REQUEST = "open merge request"
    RESOLVE_CONFLICT = "resolve conflict"
    MERGE = "merge"
    REVIEW = "review"
    REPORT_STATUS = "report status"
    DROP_TAG = "drop tag"
    VACUUM = "vacuum"
    CANCEL_TASK = "cancel task"
    EDIT_PIPELINE = "edit pipeline"
    MANAGE_PIPELINES = "manage pipelines"
    MANAGE_REQUESTS = "manage merge requests"
    MANAGE_CHECKS = "manage checks"
    MANAGE_WEBHOOKS = "manage webhooks"
    MANAGE_PROTECTION = "manage protection"
    MANAGE_MEMBERS = "manage members"
    MANAGE_RESTRICTIONS = "manage restrictions"
    MANAGE_SETTINGS = "manage settings"
    BYPASS_PROTECTION = "bypass protection"
    DROP_CATALOG = "drop catalog"


@dataclass(frozen=True, slots=True)
class Right:
    """What an action takes: the least role in the catalog, None where it is about none; the scope of a token; and the
    least standing on the server. ``does`` completes "You may not ...".
    """

    role: Role | None
    scope: Scope
    does: str
    standing: Standing = Standing.PERSON


RIGHTS: Mapping[Action, Right] = {
    Action.CREATE_CATALOG: Right(None, Scope.ADMIN, "create catalogs"),
    Action.MANAGE_TOKENS: Right(None, Scope.ADMIN, "make or revoke tokens"),
    Action.MANAGE_ACCOUNT: Right(None, Scope.ADMIN, "change the password or end sessions"),
    Action.MANAGE_PEOPLE: Right(None, Scope.ADMIN, "see or manage people", Standing.STAFF),
    Action.MANAGE_GROUPS: Right(None, Scope.ADMIN, "manage groups or administrators", Standing.SUPERUSER),
    Action.MANAGE_AGENTS: Right(None, Scope.ADMIN, "make, change or end agents"),
    Action.READ: Right(Role.VIEWER, Scope.READ, "look at this catalog"),
    Action.LEAVE_CATALOG: Right(Role.VIEWER, Scope.ADMIN, "leave this catalog"),
    Action.COMMENT: Right(Role.VIEWER, Scope.WRITE, "comment here"),
    Action.SAVE_QUERY: Right(Role.VIEWER, Scope.WRITE, "save queries here"),
    Action.DELETE_STATEMENTS: Right(None, Scope.WRITE, "delete statements of your history"),
    Action.WRITE: Right(Role.CONTRIBUTOR, Scope.WRITE, "change databases, tables, views or rows here"),
    Action.CREATE_BRANCH: Right(Role.CONTRIBUTOR, Scope.WRITE, "create branches here"),
    Action.DROP_BRANCH: Right(Role.CONTRIBUTOR, Scope.WRITE, "drop, rename, reset or bring back branches here"),
    Action.CREATE_TAG: Right(Role.CONTRIBUTOR, Scope.WRITE, "create tags here"),
    Action.OPEN_REQUEST: Right(Role.CONTRIBUTOR, Scope.WRITE, "open merge requests here"),
    Action.RESOLVE_CONFLICT: Right(Role.CONTRIBUTOR, Scope.WRITE, "resolve conflicts here"),
    Action.MERGE: Right(Role.CONTRIBUTOR, Scope.MERGE, "merge branches here"),
    Action.REVIEW: Right(Role.REVIEWER, Scope.MERGE, "review merge requests here"),
    Action.REPORT_STATUS: Right(Role.REVIEWER, Scope.WRITE, "report statuses of merge requests here"),
    Action.DROP_TAG: Right(Role.MAINTAINER, Scope.WRITE, "drop or rename tags here"),
    Action.VACUUM: Right(Role.MAINTAINER, Scope.ADMIN, "remove unreachable files of this catalog"),
    Action.EDIT_PIPELINE: Right(Role.CONTRIBUTOR, Scope.WRITE, "make, edit or delete pipelines here"),
    Action.CANCEL_TASK: Right(Role.MAINTAINER, Scope.WRITE, "cancel tasks of others"),
    Action.MANAGE_REQUESTS: Right(Role.MAINTAINER, Scope.WRITE, "manage merge requests of others"),
    Action.MANAGE_CHECKS: Right(Role.MAINTAINER, Scope.ADMIN, "manage the checks of this catalog"),
    Action.MANAGE_PIPELINES: Right(Role.MAINTAINER, Scope.ADMIN, "decide what this catalog wants of its pipelines"),
    Action.MANAGE_WEBHOOKS: Right(Role.OWNER, Scope.ADMIN, "manage webhooks of this catalog"),
    Action.MANAGE_PROTECTION: Right(Role.OWNER, Scope.ADMIN, "manage the protection of branches here"),
    Action.MANAGE_MEMBERS: Right(Role.OWNER, Scope.ADMIN, "manage the members of this catalog"),
    Action.MANAGE_RESTRICTIONS: Right(Role.OWNER, Scope.ADMIN, "restrict rows and columns of this catalog"),
    Action.MANAGE_SETTINGS: Right(Role.OWNER, Scope.ADMIN, "change the settings of this catalog"),
    Action.BYPASS_PROTECTION: Right(Role.OWNER, Scope.ADMIN, "bypass the protection of branches here"),
    Action.DROP_CATALOG: Right(Role.OWNER, Scope.ADMIN, "drop this catalog or bring it back"),
}
"""The rights of the whole product. Nothing else decides who may do what."""

assert RIGHTS.keys() == set(Action), "every action takes a right"


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks. ``user_id`` None is lakeui itself. ``scopes`` are those of the token that was used; None where it was
    no token. A superuser is owner of every catalog.
    """

    user_id: int | None = None
    name: str = ""
    is_superuser: bool = False
    scopes: Scopes | None = None
    is_staff: bool = False

    @property
    def catalogs(self) -> frozenset[int] | None:
        """Ids of the catalogs that the token is limited to; no others exist for whoever asks with it."""
        return catalogs_of(self.scopes)

    def reaches(self, catalog_id: int) -> bool:
        """Whether the token, if it was one, is not limited to other catalogs."""
        return self.catalogs is None or catalog_id in self.catalogs

    @property
    def standing(self) -> Standing:
        if self.sees_everything:
            return Standing.SUPERUSER
        return Standing.STAFF if self.is_staff else Standing.PERSON

    @property
    def sees_everything(self) -> bool:
        return self.user_id is None or self.is_superuser


LAKEUI = Principal()
"""lakeui itself: what it does by itself, for no person."""


def may(role: Role | None, action: Action) -> bool:
    """Whether the role allows the action; None is no role."""
    least = RIGHTS[action].role
    return least is None or (role is not None and role >= least)


def scope_allows(principal: Principal, action: Action) -> bool:
    """Whether the token that was used, if it was one, allows the action."""
    scope = RIGHTS[action].scope
    return principal.scopes is None or scope is Scope.READ or scope in principal.scopes
