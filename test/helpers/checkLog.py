"""Verifies an export of Daybook, written from the documented formats only.

usage: python3 checkLog.py events.ndjson [checkpoint.json]

Prints "ok <events> <root>", or the first fault and exits with 1. It shares no code with Daybook.
It does not verify signatures (use openssl pkeyutl -verify).
"""

import hashlib
import json
import sys


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def number(value):
    """Text of a number in RFC 8785: the shortest digits, in the format of ECMAScript."""
    if isinstance(value, int) or value == int(value) and abs(value) < 1e21:
        return str(int(value))
    digits, _, exponent = repr(value).partition("e")
    sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
    whole, _, fraction = digits.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if 0 < point <= 21:
        return f"{sign}{digits[:point].ljust(point, '0')}{'.' + digits[point:] if len(digits) > point else ''}"
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{sign}{mantissa}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def canonical(value):
    """RFC 8785: names in the order of their UTF-16 code units, no spaces."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


def check(lines, checkpoint):
    ends, peaks, size, origin = {}, [], 0, None
    root_then = None
    for line in lines:
        event = json.loads(line)
        where = f"event {size + 1} ({event['stream']} revision {event['revision']})"
        if canonical(event) != line:
            sys.exit(f"{where} is not in its canonical form")
        revision, previous = ends.get(event["stream"], (-1, None))
        if event["revision"] != revision + 1:
            sys.exit(f"{where} follows revision {revision}")
        stored = event.pop("hash")
        if sha256(canonical({**event, "previous": previous}).encode()).hex() != stored:
            sys.exit(f"{where} does not fit its hash")
        ends[event["stream"]] = (event["revision"], stored)
        origin = origin or event["id"]
        # The tree of RFC 9162: the roots of the full subtrees, one for each bit of the size.
        node, rest = sha256(b"\0", line.encode()), size
        while rest % 2 == 1:
            node, rest = sha256(b"\1", peaks.pop(), node), rest // 2
        peaks.append(node)
        size += 1
        if checkpoint and size == checkpoint["size"]:
            root_then = root_of(peaks)
    if checkpoint and (origin, root_then) != (checkpoint["origin"], checkpoint["root"]):
        sys.exit(f"the first {checkpoint['size']} events are not those of the checkpoint")
    return size, root_of(peaks)


def root_of(peaks):
    if not peaks:
        return sha256().hex()
    node = peaks[-1]
    for left in reversed(peaks[:-1]):
        node = sha256(b"\1", left, node)
    return node.hex()


with open(sys.argv[1], encoding="utf-8", newline="\n") as export:
    checkpoint = json.load(open(sys.argv[2])) if len(sys.argv) > 2 else None
    print("ok", *check((line.rstrip("\n") for line in export), checkpoint))
