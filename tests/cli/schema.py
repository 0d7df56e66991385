#!/usr/bin/python3
"""schema.py SCHEMA FILE...: validates YAML files as editors do: YAML 1.2, where `no` and `22:30` are texts. Prints what is wrong, and exits 1 then."""
import json
import re
import sys

import jsonschema
import yaml


class Core(yaml.SafeLoader):
    """The scalars of YAML 1.2's core schema."""


Core.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", list("-+.0123456789")),
    ("merge", r"<<", ["<"]),
]:
    Core.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile("^(?:%s)$" % pattern), first)
Core.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value, 0 if "x" in node.value else 10))
Core.add_constructor("tag:yaml.org,2002:bool", lambda loader, node: node.value.lower() == "true")


def strings(value):
    """Keys are texts in JSON."""
    if isinstance(value, dict):
        return {key if isinstance(key, str) else json.dumps(key): strings(item) for key, item in value.items()}
    return [strings(item) for item in value] if isinstance(value, list) else value


with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
wrong = False
for name in sys.argv[2:]:
    with open(name, encoding="utf-8-sig") as file:
        for document in yaml.load_all(file, Loader=Core):
            for error in validator.iter_errors(strings(document)):
                print("%s: %s: %s" % (name, "/".join(map(str, error.absolute_path)), error.message[:200]))
                wrong = True
sys.exit(wrong)
