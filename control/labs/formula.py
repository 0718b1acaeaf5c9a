# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of labs: Python's arithmetic over a student's numbers and the results of runs.

    rate * quanta * 512 / 1e9
    yours.port("leaf1.swp1").queue(3).ecn_marked > 0
    max(column(given.flows.where(item="storm"), "fct_ps")) / 1000

Whoever writes a lab is trusted with its numbers, but not with the machine that grades it. So a formula is checked against a
list of what it may hold, is evaluated node by node, and reaches only names, functions and attributes that are listed here.
"""
import ast
import math
import operator
import statistics
from collections.abc import Callable, Mapping
from typing import Any

LENGTH_MAX = 1000
POWER_MAX = 64

BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}
COMPARE: dict[type, Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge}

# Of a run and its parts, as doc/python.md describes them; counters come beside them.
METHODS = {"port", "node", "queue", "group", "priority", "pool", "tenant", "link", "where", "get"}
ATTRIBUTES = {"queues", "groups", "priorities", "drops", "summary", "flows", "links", "result"}
VALUES = (int, float, str, list)


def column(rows: Any, name: str) -> list[Any]:
    """The values of one column of a table, empty ones left out."""
    return [row[name] for row in rows if row[name] not in ("", None)]


def percentile(values: list[float], part: float) -> float:
    """The value that `part` percent of all are at most, as Roost's tables have it: one of the values, none in between."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * part / 100) - 1)]


def count(values: list[float], above: float) -> int:
    """How many of the values are above a number."""
    return sum(value > above for value in values)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs, "ceil": math.ceil, "floor": math.floor, "log2": math.log2, "max": max, "min": min, "round": round,
    "sqrt": math.sqrt, "sum": sum, "len": len, "column": column, "count": count,
    "mean": statistics.fmean, "median": statistics.median, "percentile": percentile}


class FormulaError(Exception):
    """A formula that holds what it may not, or cannot be evaluated; str() says what."""


def evaluate(text: str, names: Mapping[str, Any]) -> Any:
    """The value of a formula. Raises FormulaError."""
    if len(text) > LENGTH_MAX:
        raise FormulaError(f"longer than {LENGTH_MAX} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise FormulaError("not a formula") from None
    try:
        return _value(tree, names)
    except FormulaError:
        raise
    except RecursionError:
        raise FormulaError("too many parts within one another") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise FormulaError(str(error) or type(error).__name__) from None


def names_in(text: str) -> set[str]:
    """The names in a formula, functions aside. Raises FormulaError."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise FormulaError("not a formula") from None
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - set(FUNCTIONS)


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as value):
            return value
        case ast.Name(id=name):
            if name in names:
                return names[name]
            raise FormulaError(f"there is no {name}; there is {', '.join(sorted(names))}")
        case ast.BinOp(op=ast.Pow()):
            base, power = _value(node.left, names), _value(node.right, names)
            if not isinstance(power, (int, float)) or abs(power) > POWER_MAX:
                raise FormulaError(f"a power is at most {POWER_MAX}")
            return float(base) ** power
        case ast.BinOp(op=op) if type(op) in BINARY:
            left, right = _value(node.left, names), _value(node.right, names)
            if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
                raise FormulaError("only numbers can be computed with")
            return BINARY[type(op)](left, right)
        case ast.UnaryOp(op=ast.USub()):
            return -_value(node.operand, names)
        case ast.UnaryOp(op=ast.Not()):
            return not _value(node.operand, names)
        case ast.BoolOp(op=op):
            wanted = isinstance(op, ast.Or)
            return wanted if any(bool(_value(one, names)) == wanted for one in node.values) else not wanted
        case ast.Compare():
            values = [_value(one, names) for one in (node.left, *node.comparators)]
            if any(type(op) not in COMPARE for op in node.ops):
                raise FormulaError("it compares by ==, !=, <, <=, > and >= only")
            return all(COMPARE[type(op)](*pair) for op, pair in zip(node.ops, zip(values, values[1:])))
        case ast.IfExp():
            return _value(node.body if _value(node.test, names) else node.orelse, names)
        case ast.List() | ast.Tuple():
            return [_value(one, names) for one in node.elts]
        case ast.Subscript():
            return _value(node.value, names)[_value(node.slice, names)]
        case ast.Attribute():
            return _attribute(node, names)
        case ast.Call():
            return _call(node, names)
    raise FormulaError(f"{ast.unparse(node)}: not in formulas")


def _attribute(node: ast.Attribute, names: Mapping[str, Any]) -> Any:
    if node.attr.startswith("_") or node.attr in METHODS:
        raise FormulaError(f".{node.attr}: not in formulas")
    value = getattr(_value(node.value, names), node.attr)
    if node.attr not in ATTRIBUTES and not isinstance(value, VALUES):
        raise FormulaError(f".{node.attr}: not in formulas")
    return value


def _call(node: ast.Call, names: Mapping[str, Any]) -> Any:
    words = [_value(one, names) for one in node.args]
    options = {one.arg: _value(one.value, names) for one in node.keywords if one.arg is not None}
    if len(options) != len(node.keywords):
        raise FormulaError("**: not in formulas")
    match node.func:
        case ast.Name(id=name) if name in FUNCTIONS:
            return FUNCTIONS[name](*words, **options)
        case ast.Attribute(attr=name) if name in METHODS:
            return getattr(_value(node.func.value, names), name)(*words, **options)
    raise FormulaError(f"{ast.unparse(node.func)}(): not in formulas; there is {', '.join(sorted(FUNCTIONS))}")
