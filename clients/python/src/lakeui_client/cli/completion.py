"""Completion for shells: each asks ``lake __complete`` with the words so far, so that there is one list of commands."""

from __future__ import annotations

import argparse

from lakeui_client.cli.settings import settings_read
from lakeui_client.errors import LakeError
from lakeui_client.lake import Lake

_SCRIPTS = {
    "bash": """\
_lake() {
    local IFS=$'\\n'
    COMPREPLY=($(lake __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _lake lake""",
    "zsh": """\
#compdef lake
_lake() {
    local -a found
    found=("${(@f)$(lake __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    [[ -n "$found" ]] && compadd -- $found || _files
}
compdef _lake lake""",
    "fish": """\
complete -c lake -f -a '(lake __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'""",
}
_BRANCHES = {
    "switch": ("name",),
    "branch": ("source", "delete"),
    "diff": ("source", "destination"),
    "merge": ("source", "into"),
    "open": ("source", "into"),
}
"""Command → what of it is a branch."""


def script(shell: str) -> str:
    return _SCRIPTS[shell]


def candidates(parser: argparse.ArgumentParser, words: list[str]) -> list[str]:
    """What the last word may become."""
    *before, last = words or [""]
    current, name, taken, waiting = parser, "", 0, None
    for word in before:
        actions = [action for action in current._actions if word in action.option_strings]
        if waiting is not None:
            waiting = None
        elif actions:
            waiting = actions[0] if actions[0].nargs != 0 else None
        elif (found := _commands(current).get(word)) is not None:
            current, name, taken = found, word, 0
        else:
            taken += 1
    return sorted(word for word in _possible(current, name, taken, waiting, last) if word.startswith(last))


def _possible(
    current: argparse.ArgumentParser, name: str, taken: int, waiting: argparse.Action | None, last: str
) -> list[str]:
    options = [text for action in current._actions for text in action.option_strings]
    if waiting is not None:
        return _values(waiting, name)
    if last.startswith("-"):
        return options
    if commands := _commands(current):
        return list(commands)
    positional = [action for action in current._actions if not action.option_strings]
    return _values(positional[taken], name) if taken < len(positional) else []


def _values(action: argparse.Action, name: str) -> list[str]:
    if action.choices is not None:
        return [str(choice) for choice in action.choices]
    if action.dest == "branch" or action.dest in _BRANCHES.get(name, ()):
        return _names(of_branches=True)
    return _names(of_branches=False) if action.dest == "catalog" else []


def _names(*, of_branches: bool) -> list[str]:
    """Names at the server, if it answers at once: a shell waits for this."""
    try:
        settings = settings_read()
        lake = Lake(settings.url, settings.token, timeout=2)
        found = lake.catalog(settings.catalog_named).branches() if of_branches else lake.catalogs()
    except LakeError:
        return []
    return [entry["name"] for entry in found]


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}
