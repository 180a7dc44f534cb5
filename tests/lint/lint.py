#!/usr/bin/env python3
"""Lints the source tree: `tests/lint/lint.py [ROOT]` prints what it finds and exits 1 if that is anything.

What may stay as it is has a line with a reason in exceptions.txt beside this file; that list may
shrink, and grows only in a reviewed line of its own.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tests.lint import checks  # noqa: E402
from tests.lint.tree import Exceptions, Tree, usable_clang_format  # noqa: E402

EXCEPTIONS = "tests/lint/exceptions.txt"


def lint(root, clang_format=None):
    """All findings in the tree under `root`, in order of path and line."""
    tree = Tree(root, clang_format)
    listed = next((file.text for file in tree.files if file.path == EXCEPTIONS), "")
    exceptions = Exceptions(listed, EXCEPTIONS)
    found = [finding for check in checks.ALL for finding in check(tree) if not exceptions.permits(finding)]
    return sorted(found + exceptions.leftovers(), key=lambda finding: (finding.path, finding.line))


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.getcwd())
    clang_format = usable_clang_format()
    if not clang_format:
        print("lint: no clang-format 14 here; formatting was not checked")
    found = lint(root, clang_format)
    for finding in found:
        print(finding)
    print(f"lint: {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
