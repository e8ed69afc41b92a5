# ruff: noqa: E501 (messages stand here as they are)
"""What a strict reader refuses, and exactly what it says.

Each line of a case: code, line:column[-end], message | label = remedy (related place).
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from envsync.documents import parse
from envsync.errors import FileError, Problem

# Seven levels of nine aliases each stand for five million values.
LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [" + ", ".join([f"*{before}"] * 9) + "]\n"
    for before, name in zip("abcdef", "bcdefg", strict=True)
)


@dataclass(frozen=True)
class Case:
    name: str
    text: str | bytes
    says: list[str]


YAML = [
    Case(
        "no is not a boolean",
        "a: no\n",
        [
            'E103 1:4-6 ambiguous plain scalar | some YAML readers take this for the boolean false = write "no" in quotes'
        ],
    ),
    Case(
        "an ambiguous item of a list",
        "hosts:\n  - no\n",
        [
            'E103 2:5-7 ambiguous plain scalar | some YAML readers take this for the boolean false = write "no" in quotes'
        ],
    ),
    Case(
        "an ambiguous value in a list in brackets",
        "a: [x, ON]\n",
        [
            'E103 1:8-10 ambiguous plain scalar | some YAML readers take this for the boolean true = write "ON" in quotes'
        ],
    ),
    Case(
        "y as a key",
        "y: 1\n",
        [
            'E103 1:1-2 ambiguous plain scalar | some YAML readers take this for the boolean true = write "y" in quotes'
        ],
    ),
    Case(
        "on as a key",
        "on:\n  push: 1\n",
        [
            'E103 1:1-3 ambiguous plain scalar | some YAML readers take this for the boolean true = write "on" in quotes'
        ],
    ),
    Case(
        "a capital True",
        "a: True\n",
        [
            'E103 1:4-8 ambiguous plain scalar | some YAML readers take this for the boolean true = write "True" in quotes'
        ],
    ),
    Case(
        "a tilde",
        "a: ~\n",
        [
            'E103 1:4-5 ambiguous plain scalar | some YAML readers take this for null = write "~" in quotes'
        ],
    ),
    Case(
        "a capital Null",
        "a: NULL\n",
        [
            'E103 1:4-8 ambiguous plain scalar | some YAML readers take this for null = write "NULL" in quotes'
        ],
    ),
    Case(
        "a date",
        "a: 2026-11-30\n",
        [
            'E103 1:4-14 ambiguous plain scalar | some YAML readers take this for a date = write "2026-11-30" in quotes'
        ],
    ),
    Case(
        "a date with a time",
        "a: 2026-11-30 10:00:00Z\n",
        [
            'E103 1:4-24 ambiguous plain scalar | some YAML readers take this for a date = write "2026-11-30 10:00:00Z" in quotes'
        ],
    ),
    Case(
        "a hexadecimal number",
        "a: 0x1F\n",
        [
            'E103 1:4-8 ambiguous plain scalar | some YAML readers take this for a hexadecimal number = write "0x1F" in quotes'
        ],
    ),
    Case(
        "an octal number of YAML 1.2",
        "a: 0o17\n",
        [
            'E103 1:4-8 ambiguous plain scalar | some YAML readers take this for an octal number = write "0o17" in quotes'
        ],
    ),
    Case(
        "an octal number of YAML 1.1",
        "a: 02142\n",
        [
            'E103 1:4-9 ambiguous plain scalar | some YAML readers take this for an octal number = write "02142" in quotes'
        ],
    ),
    Case(
        "a leading zero",
        "a: 089\n",
        [
            'E103 1:4-7 ambiguous plain scalar | some YAML readers take this for an integer = write "089" in quotes'
        ],
    ),
    Case(
        "a binary number",
        "a: 0b101\n",
        [
            'E103 1:4-9 ambiguous plain scalar | some YAML readers take this for a binary number = write "0b101" in quotes'
        ],
    ),
    Case(
        "a number of base 60",
        "a: 22:30\n",
        [
            'E103 1:4-9 ambiguous plain scalar | some YAML readers take this for a number of base 60 = write "22:30" in quotes'
        ],
    ),
    Case(
        "underscores in a number",
        "a: 1_000\n",
        [
            'E103 1:4-9 ambiguous plain scalar | some YAML readers take this for an integer = write "1_000" in quotes'
        ],
    ),
    Case(
        "commas in a number",
        "a: 1,000\n",
        [
            'E103 1:4-9 ambiguous plain scalar | some YAML readers take this for an integer = write "1,000" in quotes'
        ],
    ),
    Case(
        "a hash that is a number",
        "a: 1234e567\n",
        [
            'E103 1:4-12 ambiguous plain scalar | some YAML readers take this for a number with an exponent = write "1234e567" in quotes'
        ],
    ),
    Case(
        "an exponent",
        "a: 1e3\n",
        [
            'E103 1:4-7 ambiguous plain scalar | some YAML readers take this for a number with an exponent = write "1e3" in quotes'
        ],
    ),
    Case(
        "a plus sign",
        "a: +1\n",
        [
            'E103 1:4-6 ambiguous plain scalar | some YAML readers take this for an integer = write "+1" in quotes'
        ],
    ),
    Case(
        "a point at the end",
        "a: 1.\n",
        [
            'E103 1:4-6 ambiguous plain scalar | some YAML readers take this for a decimal = write "1." in quotes'
        ],
    ),
    Case(
        "a point at the start",
        "a: .5\n",
        [
            'E103 1:4-6 ambiguous plain scalar | some YAML readers take this for a decimal = write ".5" in quotes'
        ],
    ),
    Case(
        "infinity",
        "a: -.inf\n",
        [
            'E103 1:4-9 ambiguous plain scalar | some YAML readers take this for infinity = write "-.inf" in quotes'
        ],
    ),
    Case(
        "not a number",
        "a: .NaN\n",
        [
            'E103 1:4-8 ambiguous plain scalar | some YAML readers take this for not-a-number = write ".NaN" in quotes'
        ],
    ),
    Case(
        "the default value key",
        "a: =\n",
        [
            'E103 1:4-5 ambiguous plain scalar | some YAML readers take this for the default value of a mapping = write "=" in quotes'
        ],
    ),
    Case(
        "a merge key as a value",
        "a: <<\n",
        [
            'E103 1:4-6 ambiguous plain scalar | some YAML readers take this for a merge key = write "<<" in quotes'
        ],
    ),
    Case(
        "two ambiguous values",
        "a: no\nb: yes\n",
        [
            'E103 1:4-6 ambiguous plain scalar | some YAML readers take this for the boolean false = write "no" in quotes',
            'E103 2:4-7 ambiguous plain scalar | some YAML readers take this for the boolean true = write "yes" in quotes',
        ],
    ),
    Case(
        "a duplicate key",
        "a: 1\nb: 2\na: 3\n",
        [
            "E102 3:1-2 duplicate key `a` | it stands at line 1 already = keep one of the two (the first one: 1:1)"
        ],
    ),
    Case(
        "a duplicate key in braces",
        "a: {b: 1, b: 2}\n",
        [
            "E102 1:11-12 duplicate key `b` | it stands at line 1 already = keep one of the two (the first one: 1:5)"
        ],
    ),
    Case(
        "a duplicate key in two spellings",
        'a: 1\n"a": 2\n',
        [
            "E102 2:1-4 duplicate key `a` | it stands at line 1 already = keep one of the two (the first one: 1:1)"
        ],
    ),
    Case("a tag", "a: !!str 1\n", ["E104 1:4-9 a tag = remove it: values here have no tags"]),
    Case(
        "a private tag on a mapping",
        "a: !include\n  b: 1\n",
        ["E104 1:4-12 a tag = remove it: values here have no tags"],
    ),
    Case(
        "an unknown tag handle",
        "a: !e!b 1\n",
        ["E104 1:4-5 a tag = remove the tag: values here have no tags"],
    ),
    Case(
        "a merge key",
        "base: &b\n  x: 1\na:\n  <<: *b\n",
        [
            "E105 4:3-5 a merge key | YAML 1.2 has no merge keys, and only some readers carry them out = write the merged values out, or move them into an overlay"
        ],
    ),
    Case(
        "a directive of YAML 1.1",
        "%YAML 1.1\n---\na: 1\n",
        ["E106 1:1-10 a directive = remove the line: files here are YAML 1.2 without directives"],
    ),
    Case(
        "a directive for tags",
        "%TAG ! tag:x.example,2026:\n---\na: 1\n",
        ["E106 1:1-27 a directive = remove the line: files here are YAML 1.2 without directives"],
    ),
    Case(
        "an unknown directive",
        "%FOO bar\n---\na: 1\n",
        ["E106 1:1-2 a directive = remove the line: files here are YAML 1.2 without directives"],
    ),
    Case(
        "a second document",
        "a: 1\n---\nb: 2\n",
        [
            "E107 2:1-4 a second document starts here = keep one document in a file, and move this one into a file of its own"
        ],
    ),
    Case(
        "an empty file",
        "",
        ["E108 1:1 the document is empty = write its content, or delete the file"],
    ),
    Case(
        "only comments",
        "# nothing here\n",
        ["E108 1:1 the document is empty = write its content, or delete the file"],
    ),
    Case(
        "a list at the top",
        "- a\n",
        ["E109 1:1 the document is a list, not a mapping = write `key: value` lines at the top"],
    ),
    Case(
        "a text at the top",
        "hello\n",
        [
            "E109 1:1 the document is a single value, not a mapping = write `key: value` lines at the top"
        ],
    ),
    Case(
        "a number as a key",
        "a:\n  1: x\n",
        ['E110 2:3-4 a key that is not text: `1` = write "1" in quotes'],
    ),
    Case(
        "true as a key",
        "true: x\n",
        ['E110 1:1-5 a key that is not text: `true` = write "true" in quotes'],
    ),
    Case(
        "an empty key",
        "a: 1\n? \n: x\n",
        ["E110 2:1-2 an explicit key | `? ` makes any value a key = write `key: value`"],
    ),
    Case("a list as a key", "[a, b]: 1\n", ["E110 1:1 a list as a key = keys are text"]),
    Case("a mapping as a key", "{a: b}: 1\n", ["E110 1:1 a mapping as a key = keys are text"]),
    Case(
        "an alias as a key",
        "a: &x b\n*x : 1\n",
        ["E110 2:1-3 an alias as a key = write the key out"],
    ),
    Case(
        "an explicit key",
        "? a\n: 1\n",
        ["E110 1:1-2 an explicit key | `? ` makes any value a key = write `key: value`"],
    ),
    Case(
        "a key of several lines",
        "a: {b\n  c: 1}\n",
        [
            "E110 1:5 a key of several lines = write the key on one line",
            "E101 2:4-5 a mapping in braces that is not closed = put `,` between entries and `}` at the end (the mapping begins here: 1:4)",
        ],
    ),
    Case(
        "a colon on the next line",
        'a: {"b"\n  : 1}\n',
        [
            "E101 2:3-4 a mapping in braces that is not closed = put `,` between entries and `}` at the end (the mapping begins here: 1:4)"
        ],
    ),
    Case(
        "a large integer",
        "a: 9007199254740992\n",
        [
            "E111 1:4-20 a number that is too large | integers end at 9007199254740991 = write it in quotes if it is a text"
        ],
    ),
    Case(
        "a negative large integer",
        "a: -9007199254740992\n",
        [
            "E111 1:4-21 a number that is too large | integers end at 9007199254740991 = write it in quotes if it is a text"
        ],
    ),
    Case(
        "a decimal beyond all numbers",
        "a: " + "9" * 400 + ".0\n",
        [
            "E111 1:4-406 a number that is too large | no reader has a number that large = write it in quotes if it is a text"
        ],
    ),
    Case(
        "a tab as indentation",
        "a:\n\tb: 1\n",
        ["E112 2:1-2 a tab in the indentation = indent with spaces"],
    ),
    Case(
        "a tab before a value",
        "a:\tb\n",
        [
            "E112 1:3-4 a tab between values = use spaces; a tab that belongs to a text goes into quotes"
        ],
    ),
    Case(
        "a tab before a comment",
        "a: b\t# c\n",
        [
            "E112 1:5-6 a tab between values = use spaces; a tab that belongs to a text goes into quotes"
        ],
    ),
    Case(
        "a tab inside an unquoted value",
        "a: b\tc\n",
        ["E112 1:5-6 a tab in an unquoted value = use quotes"],
    ),
    Case(
        "a tab as indentation of a block scalar",
        "a: |\n\tx\n",
        [
            'E112 2:1-2 a tab in the indentation of a block scalar = indent with spaces; write a text that begins with a tab in double quotes, as "\\t" (the text begins here: 1:4)'
        ],
    ),
    Case(
        "a NUL",
        "a: x\x00y\n",
        [
            'E113 1:5-6 a NUL character (U+0000) | readers disagree about this character, and nobody can see it = remove it, or write it as "\\x00" in a double-quoted value'
        ],
    ),
    Case(
        "an escape character",
        "a: \x1b[31m\n",
        [
            'E113 1:4-5 a control character (U+001B) | readers disagree about this character, and nobody can see it = remove it, or write it as "\\x1b" in a double-quoted value'
        ],
    ),
    Case(
        "a line break of YAML 1.1",
        "a: x\x85b: 1\n",
        [
            'E113 1:5-6 a next-line character (U+0085) | readers disagree about this character, and nobody can see it = remove it, or write it as "\\x85" in a double-quoted value'
        ],
    ),
    Case(
        "a line separator",
        "a: x\u2028y\n",
        [
            'E113 1:5-6 a line separator (U+2028) | readers disagree about this character, and nobody can see it = remove it, or write it as "\\u2028" in a double-quoted value'
        ],
    ),
    Case(
        "a carriage return alone",
        "a: 1\rb: 2\n",
        [
            "E113 1:5-6 a carriage return without a line feed (U+000D) | readers disagree about this character, and nobody can see it = end the line with LF or with CR LF"
        ],
    ),
    Case(
        "a byte order mark inside",
        "a: 1\n\ufeffb: 2\n",
        [
            "E113 2:1-2 a byte order mark inside the text (U+FEFF) | readers disagree about this character, and nobody can see it = remove it: files that were joined each had one at their start"
        ],
    ),
    Case(
        "too deep by brackets",
        "a: " + "[" * 70 + "]" * 70 + "\n",
        ["E116 1:67 nested deeper than 64 levels = flatten it"],
    ),
    Case(
        "too deep by indentation",
        "".join(" " * level + "a:\n" for level in range(65)),
        ["E116 65:65 nested deeper than 64 levels = flatten it"],
    ),
    Case(
        "an alias without an anchor",
        "a: *x\n",
        [
            "E119 1:4-6 the alias `*x` has no anchor before it = write `&x` before the value that it repeats"
        ],
    ),
    Case(
        "an alias inside its anchor",
        "a: &x\n  b: *x\n",
        ["E119 2:6-8 the alias `*x` stands inside its own anchor = write it out"],
    ),
    Case(
        "a billion laughs",
        LAUGHS,
        [
            "E118 6:12 more than 100,000 values | aliases count as what they stand for = write less into one file"
        ],
    ),
    Case(
        "more aliases than allowed",
        "a: &a x\nb: [" + ", ".join(["*a"] * 65) + "]\n",
        ["E117 2:261-263 more than 64 aliases = write values out"],
    ),
    Case(
        "aliases that nest too deep",
        "a: &a " + "[" * 40 + "]" * 40 + "\nb: " + "[" * 30 + "*a" + "]" * 30 + "\n",
        ["E116 2:34 nested deeper than 64 levels = flatten it"],
    ),
    Case(
        "too many values",
        "a: [" + "1," * 100_000 + "1]\n",
        [
            "E118 1:200003 more than 100,000 values | aliases count as what they stand for = write less into one file"
        ],
    ),
    Case(
        "a colon in an unquoted value",
        "a: b: c\n",
        [
            "E101 1:5-6 a `:` that cannot stand here = indent the line like its neighbours, or put the value in quotes if the `:` belongs to it"
        ],
    ),
    Case(
        "a key without a colon",
        "a: 1\nb\nc: 2\n",
        [
            "E101 2:1-2 a key without `:` = write `key: value`, or indent the line if it continues a text"
        ],
    ),
    Case(
        "a line indented too far",
        "a: 1\n  b: 2\n",
        [
            "E101 2:4-5 a `:` that cannot stand here = indent the line like its neighbours, or put the value in quotes if the `:` belongs to it"
        ],
    ),
    Case(
        "a line indented too little",
        "a:\n    b: 1\n  c: 2\n",
        [
            "E101 3:3-4 a line that does not fit into its mapping = indent it like the other keys (the mapping begins here: 1:1)"
        ],
    ),
    Case(
        "a list that ends as a mapping",
        "a:\n  - b\n  c: 1\n",
        [
            "E101 3:3-4 a line that does not fit into its list = indent it like the other items, with `- ` (the list begins here: 2:3)"
        ],
    ),
    Case(
        "a list on the line of its key",
        "a: - b\n",
        ["E101 1:4-5 a list item that cannot stand here = start the list on a line of its own"],
    ),
    Case(
        "a quote that is not closed",
        "a: 'x\nb: 1\n",
        ["E101 1:4-5 a quote that is never closed = close it"],
    ),
    Case(
        "text after a quote",
        "a: 'x' y\n",
        [
            "E101 1:8-9 text behind a value that has ended = put the whole value into one pair of quotes (the mapping begins here: 1:1)"
        ],
    ),
    Case(
        "a bracket that is not closed",
        "a: [b, c\nd: 1\n",
        [
            "E101 2:2-3 a list in brackets that is not closed = put `,` between items and `]` at the end (the list begins here: 1:4)"
        ],
    ),
    Case(
        "a brace that is not closed",
        "a: {b: c\n",
        [
            "E101 1:4-5 a mapping in braces that is not closed = put `,` between entries and `}` at the end"
        ],
    ),
    Case(
        "an empty place in a list",
        "a: [b, , c]\n",
        ["E101 1:8-9 a value is missing here = write the value, or `null`"],
    ),
    Case(
        "a value that begins with an at sign",
        "a: @b\n",
        ["E101 1:4-5 a value cannot begin with `@` = put the value in quotes"],
    ),
    Case(
        "a value that begins with a backtick",
        "a: `b`\n",
        ["E101 1:4-5 a value cannot begin with a backtick = put the value in quotes"],
    ),
    Case(
        "a value that begins with a percent sign",
        "a: %b\n",
        ["E101 1:4-5 a value cannot begin with `%` = put the value in quotes"],
    ),
    Case(
        "a value that begins with a star",
        "a: *.example.com\n",
        [
            'E101 1:4-5 a value that begins with `*` is an alias, and this one has no name = put the value in quotes: "*.example"'
        ],
    ),
    Case(
        "an unknown escape",
        'a: "\\d+"\n',
        [
            "E101 1:5-6 an escape that YAML does not have = write `\\\\` for a backslash, or use single quotes"
        ],
    ),
    Case(
        "a half escape",
        'a: "\\u12"\n',
        [
            "E101 1:7-8 an escape without its hexadecimal digits = write \\xXX, \\uXXXX or \\UXXXXXXXX"
        ],
    ),
    Case(
        "an escape of a surrogate",
        'a: "\\ud83d\\ude00"\n',
        [
            "E101 1:7-8 an escape of something that is no character = write characters beyond U+FFFF as they are, or as \\UXXXXXXXX"
        ],
    ),
    Case(
        "a comment without a space",
        "a: [b]#c\n",
        [
            "E101 1:7-8 a comment without a space before it = put a space before the `#`, or the value in quotes"
        ],
    ),
    Case(
        "a comment behind a comma",
        "a: [b,#c\n  d]\n",
        [
            "E101 1:7-8 a comment without a space before it = put a space before the `#`, or the value in quotes"
        ],
    ),
    Case(
        "a bracket too far left",
        "a: [\n  b\n]\n",
        [
            "E101 3:1-2 a line that stands too far left for the value it continues = indent it by at least 1 space"
        ],
    ),
    Case(
        "a quoted line too far left",
        'a:\n  b: "x\n y"\n',
        [
            "E101 3:2-3 a line that stands too far left for the value it continues = indent it by at least 3 spaces"
        ],
    ),
    Case(
        "text behind a block scalar's bar",
        "a: | x\n",
        [
            "E101 1:6-7 text on the line of a block scalar's `|` or `>` = start the text on the next line (the text begins here: 1:4)"
        ],
    ),
    Case(
        "an indentation indicator of 0",
        "a: |0\n x\n",
        [
            "E101 1:5-6 an indentation indicator of 0 = write 1 to 9, or leave it out (the text begins here: 1:4)"
        ],
    ),
    Case(
        "a block scalar that the file ends",
        "a: |\n  x",
        [
            "E121 1:4-5 the file ends inside a block scalar | readers disagree about whether the text ends with a line feed = end the file with a line feed, or write `|-` for a text without one"
        ],
    ),
    Case(
        "a block scalar of blank lines",
        "a: |\n   \nb: 1\n",
        [
            'E101 1:4-5 a block scalar of blank lines | readers disagree about how many lines it has = write "" for an empty text'
        ],
    ),
    Case(
        "a dash alone in brackets",
        "a: [-, b]\n",
        ['E101 1:5-6 `-` alone = write a value, or "-" in quotes'],
    ),
    Case(
        "a mapping on the line of the marker",
        "--- a: 1\n",
        [
            "E101 1:6-7 a `:` that cannot stand here = indent the line like its neighbours, or put the value in quotes if the `:` belongs to it"
        ],
    ),
    Case(
        "text after the end",
        "a: 1\n...\nb: 2\n",
        [
            "E101 3:1-2 text after the end of the document = indent it so that it belongs to the document"
        ],
    ),
    Case(
        "an anchor with a colon",
        "a: &b:c d\n",
        [
            "E101 1:4-7 a name of an anchor or alias that cannot be read = use letters, digits, `-` and `_`; put the value in quotes if it begins with `*` or `&`"
        ],
    ),
]

BYTES = [
    Case(
        "a byte that is not UTF-8",
        b"a: 1\nb: \xc3\xa9\xff\n",
        ["E114 2:5 the byte 0xff is not UTF-8 (invalid start byte) = save the file as UTF-8"],
    ),
    Case(
        "Latin-1",
        "a: café\n".encode("latin-1"),
        [
            "E114 1:7 the byte 0xe9 is not UTF-8 (invalid continuation byte) = save the file as UTF-8"
        ],
    ),
    Case(
        "an encoded surrogate",
        b"a: \xed\xa0\x80\n",
        [
            "E114 1:4 the byte 0xed is not UTF-8 (invalid continuation byte) = save the file as UTF-8"
        ],
    ),
    Case(
        "an overlong encoding",
        b"a: \xc0\xaf\n",
        ["E114 1:4 the byte 0xc0 is not UTF-8 (invalid start byte) = save the file as UTF-8"],
    ),
    Case(
        "UTF-16",
        b"\xff\xfe" + "a: 1\n".encode("utf-16-le"),
        ["E114 1:1 the file is UTF-16, not UTF-8 = save the file as UTF-8"],
    ),
    Case(
        "a byte order mark does not move columns",
        b"\xef\xbb\xbfa: no\n",
        [
            'E103 1:4-6 ambiguous plain scalar | some YAML readers take this for the boolean false = write "no" in quotes'
        ],
    ),
    Case(
        "columns count code points",
        b"a: [\xf0\x9f\x98\x80\xc3\xa9, no]\n",
        [
            'E103 1:9-11 ambiguous plain scalar | some YAML readers take this for the boolean false = write "no" in quotes'
        ],
    ),
    Case(
        "lines end with CR LF",
        b"a: 1\r\nb: no\r\n",
        [
            'E103 2:4-6 ambiguous plain scalar | some YAML readers take this for the boolean false = write "no" in quotes'
        ],
    ),
    Case(
        "more than 1 MiB",
        b"a: " + b"x" * (1024 * 1024) + b"\n",
        [
            "E115 1:1 the file is larger than 1 MiB (1,048,580 bytes) = split it, or keep large content where the Environment can fetch it"
        ],
    ),
]

JSON = [
    Case("nothing", "", ["E108 1:1 the document is empty = write an object"]),
    Case(
        "an array at the top",
        "[1]",
        ["E109 1:1 the document is a list, not a mapping = write `key: value` lines at the top"],
    ),
    Case(
        "a duplicate name",
        '{"a": 1, "a": 2}',
        [
            "E102 1:10-13 duplicate key `a` | it stands at line 1 already = keep one of the two (the first one: 1:2)"
        ],
    ),
    Case(
        "a comma at the end of an object",
        '{"a": 1,}',
        ["E120 1:9-10 a `,` after the last value = remove it"],
    ),
    Case(
        "a comma at the end of an array",
        '{"a": [1,]}',
        ["E120 1:10-11 a `,` after the last value = remove it"],
    ),
    Case(
        "a comment",
        '{"a": 1} // c',
        ["E120 1:10-11 text after the end of the document = remove it"],
    ),
    Case(
        "single quotes",
        "{'a': 1}",
        ['E120 1:2-3 a name in double quotes is missing here = write "name": value'],
    ),
    Case(
        "a name without quotes",
        "{a: 1}",
        ['E120 1:2-3 a name in double quotes is missing here = write "name": value'],
    ),
    Case(
        "NaN",
        '{"a": NaN}',
        [
            "E120 1:7-10 `NaN` is not JSON = write true, false, null, a number, or text in double quotes"
        ],
    ),
    Case(
        "Infinity",
        '{"a": -Infinity}',
        [
            "E120 1:7-16 `-Infinity` is not JSON = write true, false, null, a number, or text in double quotes"
        ],
    ),
    Case(
        "a leading zero",
        '{"a": 01}',
        [
            "E120 1:7-9 `01` is not JSON = write true, false, null, a number, or text in double quotes"
        ],
    ),
    Case(
        "a plus",
        '{"a": +1}',
        [
            "E120 1:7-9 `+1` is not JSON = write true, false, null, a number, or text in double quotes"
        ],
    ),
    Case(
        "a point at the end",
        '{"a": 1.}',
        [
            "E120 1:7-9 `1.` is not JSON = write true, false, null, a number, or text in double quotes"
        ],
    ),
    Case(
        "a large integer",
        '{"a": 9007199254740993}',
        [
            "E111 1:7-23 a number that is too large | integers end at 9007199254740991 = write it in quotes if it is a text"
        ],
    ),
    Case(
        "a number beyond all numbers",
        '{"a": 1e999}',
        [
            "E111 1:7-12 a number that is too large | no reader has a number that large = write it in quotes if it is a text"
        ],
    ),
    Case(
        "half a surrogate pair",
        '{"a": "\\ud83d"}',
        ["E120 1:7-8 half of a surrogate pair = write the character itself, or both halves"],
    ),
    Case(
        "a line end in a text",
        '{"a": "x\ny"}',
        [
            'E120 1:7-8 a text that is not closed, or an escape that JSON does not have = end it with " on its line; escapes are \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX'
        ],
    ),
    Case(
        "an unknown escape",
        '{"a": "\\x41"}',
        [
            'E120 1:7-8 a text that is not closed, or an escape that JSON does not have = end it with " on its line; escapes are \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX'
        ],
    ),
    Case(
        "a missing colon",
        '{"a" 1}',
        ["E120 1:6-7 a `:` is missing here = write it between name and value"],
    ),
    Case(
        "a missing comma",
        '{"a": 1 "b": 2}',
        ["E120 1:9-10 a `,` or `}` is missing here = write it"],
    ),
    Case("a missing value", '{"a": }', ["E120 1:7-8 a value is missing here = write it"]),
    Case("a missing end", '{"a": 1', ["E120 1:8 a `,` or `}` is missing here = write it"]),
    Case(
        "text after the end",
        '{"a": 1} {}',
        ["E120 1:10-11 text after the end of the document = remove it"],
    ),
    Case(
        "True",
        '{"a": True}',
        [
            "E120 1:7-11 `True` is not JSON = write true, false, null, a number, or text in double quotes"
        ],
    ),
    Case(
        "too deep",
        '{"a": ' + "[" * 70 + "]" * 70 + "}",
        ["E116 1:70-71 nested deeper than 64 levels = flatten it"],
    ),
    Case(
        "too many values",
        '{"a": [' + "1," * 100_000 + "1]}",
        ["E118 1:200006-200007 more than 100,000 values = write less into one file"],
    ),
]


def said(problem: Problem) -> str:
    at = problem.position
    assert at is not None
    place = f"{at.line}:{at.column}"
    if at.end_line is not None:
        place += (
            f"-{at.end_column}" if at.end_line == at.line else f"-{at.end_line}:{at.end_column}"
        )
    label = f" | {problem.label}" if problem.label else ""
    related = "".join(f" ({why}: {where.line}:{where.column})" for where, why in problem.related)
    return f"{problem.code} {place} {problem.message}{label} = {problem.remedy}{related}"


def refusal(text: str | bytes, path: str) -> list[str]:
    with pytest.raises(FileError) as caught:
        parse(text.encode() if isinstance(text, str) else text, path)
    assert all(
        problem.position.path == path for problem in caught.value.problems if problem.position
    )
    return [said(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("case", YAML + BYTES, ids=lambda case: case.name)
def test_refused_yaml(case: Case) -> None:
    assert refusal(case.text, "manifests/box.yaml") == case.says


@pytest.mark.parametrize("case", JSON, ids=lambda case: case.name)
def test_refused_json(case: Case) -> None:
    assert refusal(case.text, "manifests/box.json") == case.says


def test_the_reading_ends_with_the_hundredth_problem() -> None:
    for text, path in (("a: 1\n" * 500, "x.yaml"), ("{" + '"a": 1,' * 500 + '"b": 1}', "x.json")):
        assert len(refusal(text, path)) == 100


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "1" * 1_000_000 + "x\n",
        "a: " + "_" * 1_000_000 + "\n",
        "a: " + "1:1" * 300_000 + "x\n",
        "a: " + "[" * 1_000_000,
        "a: '" + "'" * 1_000_000,
        "a: x\n" + "\t" * 1_000_000,
        "- " * 500_000,
        "a: " + "x " * 500_000 + "\n",
        "#\n" * 500_000,
    ],
    ids=[
        "digits",
        "underscores",
        "base 60",
        "brackets",
        "quotes",
        "tabs",
        "dashes",
        "words",
        "comments",
    ],
)
def test_a_hostile_file_costs_no_more_than_its_size(text: str) -> None:
    """Each of these takes hours where a pattern or a scanner is quadratic."""
    try:
        parse(text.encode(), "x.yaml")
    except FileError as error:
        problems = error.problems
    else:
        problems = ()
    assert len(problems) <= 100
