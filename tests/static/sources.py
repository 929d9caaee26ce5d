"""What the static checks share: the sources, stripped of comments and strings, and counting."""
import os
import re
import sys

top = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))

TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def files(*endings):
    """Paths of the sources from `top`, sorted."""
    found = []
    for root in ("common", "layers", "tests"):
        for folder, _, names in os.walk(os.path.join(top, root)):
            found += [os.path.relpath(os.path.join(folder, name), top) for name in names
                      if name.endswith(endings)]
    return sorted(found)


def text(path):
    with open(os.path.join(top, path), encoding="utf-8") as file:
        return file.read()


def code(path):
    """The file's text with comments and the content of literals blanked; lines stay where they are."""
    def blank(match):
        token = match.group()
        return '""' if token[0] in "\"'" else " " + "\n" * token.count("\n")
    return TOKENS.sub(blank, text(path))


class Suite:
    """Counts checks; each failure names a file and line."""

    def __init__(self, name):
        self.name, self.passed, self.failed = name, 0, 0

    def check(self, what, faults):
        """`faults`: lines that say what is wrong, where; none when the check passes."""
        faults = list(faults)
        print("%s - %s: %s" % ("FAIL" if faults else "ok  ", self.name, what))
        for fault in faults:
            print("       " + fault)
        if faults:
            self.failed += 1
        else:
            self.passed += 1

    def finish(self):
        print("%s: %d passed, %d failed, 0 skipped" % (self.name, self.passed, self.failed))
        sys.exit(0 if self.failed == 0 and self.passed > 0 else 1)
