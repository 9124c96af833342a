"""What no operation declares is refused by name: members of a body, query parameters, keys sent twice, other types.

Each refusal is 400 INVALID_VALUE with ``field``, what was sent, and ``nearest``, the known name that is meant, or null.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from django.conf import settings
from django.http import QueryDict
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import JSONParser
from rest_framework.request import Request

from lakeui.common.errors import InvalidValue, NestedTooDeeply
from lakeui.common.nearest import nearest_name

DEEPEST = 100
"""Levels of arrays and objects that a body may have."""

_TEXTS = (serializers.CharField, serializers.ChoiceField, serializers.UUIDField, serializers.DateTimeField)


class StrictJSONParser(JSONParser):
    """JSON in which every object names each member once, and that is not nested without end."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
        try:
            text = stream.read().decode(encoding)
            read = json.loads(text, object_pairs_hook=_members, parse_constant=_refuse_constant)
            if "\\ud" in text.casefold():
                json.dumps(read, ensure_ascii=False).encode()
        except RecursionError:
            raise NestedTooDeeply("The body", deepest=DEEPEST) from None
        except UnicodeEncodeError:
            raise ParseError("The body holds half of a character: \\ud800 to \\udfff stand in pairs.") from None
        except ValueError as error:
            raise ParseError(f"The body is no JSON: {error}") from None
        _refuse_deep(read)
        return read


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these members. Raises InvalidValue where one is there twice."""
    read = dict(pairs)
    if len(read) != len(pairs):
        name = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise InvalidValue(
            f"The member {name} is there twice in one object.", remedy="Send it once.", field=name, nearest=name
        )
    return read


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is no value of JSON")


def _refuse_deep(value: Any) -> None:
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [inner for item in level for inner in _inside(item)]
        if not level:
            return
    raise NestedTooDeeply("The body", deepest=DEEPEST)


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


# -- bodies -----------------------------------------------------------------------------------------------------------


def body_checked(kind: type[serializers.Serializer[Any]], request: Request, *, partial: bool = False) -> dict[str, Any]:
    """The members of the body as its serializer allows them. Raises InvalidValue, ValidationError."""
    body = kind(data=request.data, partial=partial)
    _refuse_misfits(body, request.data, "")
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)


def body_refuse(request: Request) -> None:
    """Raise InvalidValue where an operation that takes no body was sent JSON that says something. Other content has no
    meaning in such a request (RFC 9110, 9.3.5).
    """
    try:
        sent = request.data
    except (ParseError, UnsupportedMediaType):
        return
    if isinstance(sent, Mapping):
        for name in sent:
            raise unknown_name("member", name, ())
    elif sent:
        raise InvalidValue("This operation takes no body.", remedy="Send none.", field="body", nearest=None)


def unknown_name(what: str, name: str, known: Iterable[str], *, field: str = "") -> InvalidValue:
    """The refusal of a name that nothing declares, with all that are declared."""
    known = sorted(known)
    nearest = nearest_name(name, known)
    listed = f"Known are {', '.join(known)}." if known else f"This operation takes no {what}s."
    return InvalidValue(
        f"There is no {what} {field or name} here.",
        remedy=f"Did you mean {nearest}? {listed}" if nearest else listed,
        field=field or name,
        nearest=nearest,
    )


def _refuse_misfits(field: serializers.Field[Any, Any, Any, Any] | None, value: Any, path: str) -> None:
    """Refuse unknown members at every depth, and values of another JSON type than the field's: DRF would drop the ones
    and convert the others.
    """
    if value is None or field is None:
        return
    if isinstance(field, serializers.Serializer):
        _refuse_members(field, value, path)
    elif isinstance(field, serializers.ListSerializer | serializers.ListField):
        for number, item in enumerate(value if isinstance(value, list) else ()):
            _refuse_misfits(field.child, item, f"{path}[{number}]")
    elif isinstance(field, serializers.DictField):
        for name, item in value.items() if isinstance(value, dict) else ():
            _refuse_misfits(field.child, item, f"{path}.{name}" if path else name)
    elif (wanted := _wanted(field)) is not None and not wanted[1](value):
        raise InvalidValue(f"{path} takes {wanted[0]}.", remedy="Nothing is converted.", field=path, nearest=None)


def _refuse_members(serializer: serializers.Serializer[Any], value: Any, path: str) -> None:
    known = {name: field for name, field in serializer.fields.items() if not field.read_only}
    for name, item in value.items() if isinstance(value, Mapping) else ():
        inner = f"{path}.{name}" if path else str(name)
        if name not in known:
            raise unknown_name("member", str(name), known, field=inner)
        _refuse_misfits(known[name], item, inner)


def _wanted(field: serializers.Field[Any, Any, Any, Any]) -> tuple[str, Callable[[Any], bool]] | None:
    """How the JSON type of a field's values is called, and what tells them; None where the field tells by itself."""
    if isinstance(field, serializers.BooleanField):
        return "true or false", lambda value: isinstance(value, bool)
    if isinstance(field, serializers.IntegerField):
        return "a whole number", _is_whole
    if isinstance(field, _TEXTS):
        return "a text", lambda value: isinstance(value, str)
    return None


def _is_whole(value: Any) -> bool:
    # JSON has one kind of number: 7.0 is 7.
    return not isinstance(value, bool) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))


# -- query parameters -------------------------------------------------------------------------------------------------


def nul_refuse(parts: Iterable[Any], sent: QueryDict) -> None:
    """Raise InvalidValue where the address holds the character NUL, which no name has and PostgreSQL does not take."""
    texts = (*parts, *sent, *(value for values in sent.values() for value in values))
    if any(isinstance(text, str) and "\x00" in text for text in texts):
        raise InvalidValue("The address holds the character NUL.", remedy="Leave %00 out.", field="address")


def query_refuse(handler: Callable[..., Any], sent: QueryDict) -> None:
    """Raise InvalidValue where the address has a parameter that the operation does not declare, or one value twice."""
    known = query_declared(handler)
    for name, values in sent.lists():
        if name not in known:
            raise unknown_name("parameter", name, known)
        if len(values) > 1 and not known[name]:
            raise InvalidValue(
                f"The parameter {name} is there twice.", remedy="Send it once.", field=name, nearest=name
            )


@cache
def query_declared(handler: Callable[..., Any]) -> dict[str, bool]:
    """The query parameters by which the document describes the operation; True where one may be there several times."""
    return dict(_declared(_annotated(handler, "get_override_parameters")))


def takes_body(handler: Callable[..., Any]) -> bool:
    """Whether the document describes a body of the operation."""
    return _annotated(handler, "get_request_serializer") is not None


def _annotated(handler: Callable[..., Any], name: str) -> Any:
    """What ``extend_schema`` says of the operation: there is no second list of parameters."""
    kind = getattr(handler, "kwargs", {}).get("schema")
    if kind is None:
        return None
    described = kind()
    described.view = _Unversioned()
    return getattr(described, name)()


class _Unversioned:
    """The part of a view that ``extend_schema`` asks for to see whether it applies."""

    request = None
    kwargs: Mapping[str, Any] = {}

    def determine_version(self, *_: Any, **__: Any) -> tuple[None, None]:
        return None, None

    def get_serializer(self) -> None:
        return None


def _declared(parameters: Iterable[Any] | None) -> Iterator[tuple[str, bool]]:
    for entry in parameters or ():
        if not isinstance(entry, OpenApiParameter):
            for name, field in (entry() if isinstance(entry, type) else entry).fields.items():
                yield name, isinstance(field, serializers.ListField | serializers.MultipleChoiceField)
        elif entry.location == OpenApiParameter.QUERY:
            yield entry.name, bool(entry.many)
