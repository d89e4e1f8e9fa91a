"""A policy's text read: YAML as JSON has it, with the line of every key. It must never know which keys a policy has."""

from __future__ import annotations

from typing import Any

import yaml

from guardrail.errors import PolicyError

NODES_MAX = 100_000
"""Values in one policy file, aliases written out: far more than any policy, and a bound on what an alias bomb costs."""
DEPTH_MAX = 64

_Lines = dict[tuple[str | int, ...], int]


class _Loader(yaml.CSafeLoader):
    """YAML as JSON has it: dates stay text, so that a value reads as it is written."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


class Places:
    """Where the keys of a policy file stand, so that a fault found later still names its line."""

    def __init__(self, name: str, lines: _Lines) -> None:
        self._name = name
        self._lines = lines

    def fault(self, path: tuple[str | int, ...], what: str) -> str:
        """The line of a fault: `NAME:LINE: KEY: what`."""
        return f"{self._name}:{_line(self._lines, path)}: {'.'.join(map(str, path)) or 'policy'}: {what}"


def places_of(text: str, name: str) -> Places:
    """Where the keys of a policy's text stand. Raises: PolicyError as `read_document` does."""
    return read_document(text, name)[1]


def read_document(text: str, name: str) -> tuple[Any, Places]:
    """The document that a text (YAML or JSON) holds, and where its keys stand. `name` is what faults call the file.

    Raises: PolicyError with the line of what is no YAML, can't be said in JSON, or is given twice.
    """
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            raise PolicyError(f"{name}:1: the file is empty")
        lines: _Lines = {}
        _walk(node, (), lines, name)
        return loader.construct_document(node), Places(name, lines)
    except (yaml.YAMLError, ValueError) as error:  # the latter for numbers longer than Python reads
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        raise PolicyError(f"{name}:{line}: not YAML: {getattr(error, 'problem', None) or error}") from None
    finally:
        loader.dispose()


def _walk(node: yaml.Node, path: tuple[str | int, ...], lines: _Lines, name: str) -> None:
    """Note the line of every key. Refuses what JSON can't say, repeated keys, and aliases that multiply without end."""
    line = node.start_mark.line + 1
    lines[path] = line
    if len(lines) > NODES_MAX or len(path) > DEPTH_MAX:
        raise PolicyError(f"{name}:{line}: more than {NODES_MAX} values, or nested deeper than {DEPTH_MAX}")
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            _walk_key(key, path, lines, name)
            here = (*path, key.value)
            _walk(value, here, lines, name)
            lines[here] = key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _walk(value, (*path, index), lines, name)


_TEXT_KEYS = frozenset({"tag:yaml.org,2002:str", "tag:yaml.org,2002:int"})


def _walk_key(key: yaml.Node, path: tuple[str | int, ...], lines: _Lines, name: str) -> None:
    line = key.start_mark.line + 1
    if not isinstance(key, yaml.ScalarNode) or key.tag not in _TEXT_KEYS:
        raise PolicyError(f"{name}:{line}: {'.'.join(map(str, path)) or 'policy'}: a key that is no text")
    if (*path, key.value) in lines:
        raise PolicyError(f"{name}:{line}: {'.'.join(map(str, (*path, key.value)))}: given twice")


def _line(lines: _Lines, path: tuple[str | int, ...]) -> int:
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)
