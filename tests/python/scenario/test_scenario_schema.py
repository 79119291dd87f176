# SPDX-License-Identifier: MIT OR Apache-2.0
"""The JSON schema of a scenario accepts what is accepted and printed, and refuses unknown keys and wrong types."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

import cwnd as package
from cwnd import _native
from cwnd.cli.commands.compare import ELSEWHERE

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = package.scenario_schema()
EXAMPLES = {path.stem: path.read_text() for path in sorted((ROOT / "scenarios").glob("*.toml"))}
EVERY_TABLE = """
duration = "10s"
packet_size = "1kB"
[[link]]
from = "a"
to = "b"
rate = [["0s", "10Mbit/s"], ["2s", "0bit/s"], ["3s", "5Mbit/s"]]
delay = "5ms"
loss = "gilbert:0.01,0.25,0,1"
jitter = { kind = "normal", mean = "1ms", sd = "10us", overtaking = true, centered = true }
reorder = { share = 0.01, extra = "10ms" }
queue = { kind = "red", limit = "0.5bdp, at least 9packets", min = "2packets", max = "5packets", weight = "0.002" }
[[flow]]
cc = "cubic"
beta = 0.8
path = ["a-b"]
back = []
start = { uniform = ["0s", "100ms"] }
access = { rate = "20Mbit/s", queue = "150kB" }
burst = "4packets"
host_clock = "0.1kHz"
[[traffic]]
preset = "ha2008"
share = 0.1
from = "a"
to = "b"
direction = "forward"
[[traffic]]
model = "udp"
rate = "5Mbit/s"
on = { kind = "pareto", shape = 1.5, mean = "500ms" }
off = "500ms"
from = "a"
to = "b"
[[action]]
switch = { flow = "cubic", at = "5s", cc = "sack" }
[[action]]
buffer = { link = "a-b", at = "5s", to = "100packets" }
[record]
flows = ["cubic", 0]
inner = ["w_max"]
limit = "none"
"""
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int, "number": (int, float)}


def accepts(schema: dict[str, Any], value: object) -> bool:
    """Whether the schema accepts the value: the keywords that `scenario_schema` uses."""
    if "$ref" in schema:
        return accepts(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], value)
    if "anyOf" in schema:
        return any(accepts(form, value) for form in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        return value in schema.get("enum", [schema.get("const")])
    if not isinstance(value, TYPES[schema["type"]]) or (isinstance(value, bool) and schema["type"] != "boolean"):
        return False
    if isinstance(value, dict):
        keys = schema["properties"]
        return set(schema["required"]) <= set(value) and all(
            key in keys and accepts(keys[key], inner) for key, inner in value.items()
        )
    if isinstance(value, list):
        forms = schema.get("prefixItems") or [schema["items"]] * len(value)
        return schema["minItems"] <= len(value) == len(forms) and all(map(accepts, forms, value))
    if isinstance(value, str):
        fits = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
        return fits and re.search(schema.get("pattern", ""), value) is not None
    return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))


def tables(value: object) -> list[dict[str, Any]]:
    """Every table within a document."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return ([value] if isinstance(value, dict) else []) + [table for part in inner for table in tables(part)]


@pytest.mark.parametrize("text", [*EXAMPLES.values(), EVERY_TABLE], ids=[*EXAMPLES, "every-table"])
def test_a_scenario_and_its_printed_forms_fit_the_schema(text: str) -> None:
    scenario = package.Scenario.from_toml(text, ROOT / "scenarios")
    for document in (tomllib.loads(text), tomllib.loads(scenario.to_toml()), json.loads(scenario.to_json())):
        assert accepts(SCHEMA, document)


def test_an_unknown_key_is_refused_in_every_table() -> None:
    document = tomllib.loads(EVERY_TABLE)
    # Document; link and its 3; flow and its 2; 2 groups and the bursts of one; 2 actions, each with one; record.
    assert len(tables(document)) == 1 + 4 + 3 + 3 + 4 + 1
    for table in tables(document):
        table["idle_restarts"] = True
        assert not accepts(SCHEMA, document), table
        del table["idle_restarts"]
    assert accepts(SCHEMA, document)


def test_a_value_of_another_type_is_refused_for_every_key() -> None:
    document = tomllib.loads(EVERY_TABLE)
    for table in tables(document):
        for key, value in table.items():
            for wrong in (None, -1, [[]], "\n"):
                # A label, a name and the like may be any text.
                table[key] = wrong
                assert not accepts(SCHEMA, document) or (wrong == "\n" and isinstance(value, str)), f"{key} = {wrong!r}"
            table[key] = value


def test_the_schema_describes_every_key_of_a_flow() -> None:
    flow = SCHEMA["$defs"]["flow"]["properties"]
    assert flow["idle_restart"]["type"] == "boolean" and flow["idle_restart"]["default"] is True
    assert flow["idle_restart"]["x-source"] == "RFC 5681 §4.1, RFC 2861 §3"
    assert flow["ack_every"]["maximum"] == 1000
    for key in _native.flow_keys():
        assert flow[key]["description"] and flow[key]["x-value"], key


def test_the_help_of_compare_names_every_key_of_a_flow(cwnd: Cli) -> None:
    words = set(re.findall(r"\w+", cwnd("compare", "--help").stdout))
    assert set(_native.flow_keys()) - set(ELSEWHERE) <= words
