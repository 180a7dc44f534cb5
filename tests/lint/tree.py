"""The files that are linted, what is found in them, and the exceptions that have a name."""

import dataclasses
import os
import re
import shutil
import subprocess

SKIPPED_FOLDERS = {"build", ".git", ".cache", "node_modules", "__pycache__"}
COMMENT_MARKS = {".h": "//", ".cc": "//", ".cmake": "#", ".txt": "#", ".py": '"""', ".conf": "#",
                 ".yaml": "#", ".sh": "#"}
TEXT_ONLY = (".md", ".json", ".svg")


@dataclasses.dataclass
class Finding:
    path: str
    line: int
    rule: str
    subject: str
    message: str
    value: int = 0  # Of a size; 0 where there is none.

    def __str__(self):
        size = f" {self.value}:" if self.value else ""
        subject = f" {self.subject}:" if self.subject != "-" else ""
        return f"{self.path}:{self.line}: {self.rule}:{subject}{size} {self.message}"


class File:
    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding="utf-8") as file:
            self.text = file.read()
        self.lines = self.text.split("\n")
        if self.lines[-1] == "":
            self.lines.pop()
        extension = os.path.splitext(path)[1]
        self.is_cpp = extension in (".h", ".cc")
        self.is_product = self.is_cpp and path.startswith(("src/", "include/"))
        script = self.text.startswith("#!")
        self.comment_mark = COMMENT_MARKS.get(extension, "#" if script else None)
        if script and self.text.split("\n", 1)[0].endswith("python3"):
            self.comment_mark = '"""'
        self.columns = 120 if self.comment_mark == '"""' else 100
        if "/seeds/" in path or "/data/" in path or "/planted" in path:
            self.comment_mark = None
        self.is_code = self.comment_mark is not None

    @property
    def module(self):
        parts = self.path.split("/")
        if parts[0] == "include":
            return parts[2]
        return parts[1] if len(parts) > 2 else os.path.splitext(parts[1])[0]


class Tree:
    def __init__(self, root, clang_format=None):
        self.root = root
        self.clang_format = clang_format
        self.files = [File(root, path) for path in sorted(text_files(root))]

    def cpp(self):
        return [file for file in self.files if file.is_cpp]

    def product_cpp(self):
        return [file for file in self.files if file.is_product]


def text_files(root):
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS]
        for name in names:
            path = os.path.join(folder, name)
            if os.path.islink(path) or not is_text(path):
                continue
            yield os.path.relpath(path, root)


def is_text(path):
    if os.path.getsize(path) == 0:
        return False
    with open(path, "rb") as file:
        head = file.read(8192)
    try:
        head[:8000].decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > 7990
    return b"\0" not in head


def usable_clang_format():
    """clang-format 14, whose output the tree follows; other versions break lines differently."""
    for name in ("clang-format-14", "clang-format"):
        path = shutil.which(name)
        if path and "version 14." in subprocess.run([path, "--version"], capture_output=True, text=True).stdout:
            return path
    return None


class Exceptions:
    """The ratchet: what may stay as it is, each with its reason. Lines: RULE PATH SUBJECT [SIZE] # REASON."""

    LINE = re.compile(r"(\S+) (\S+) (\S+)(?: (\d+))? # (\S.*)$")

    def __init__(self, text, path):
        self.path, self.allowed, self.errors, self.used = path, {}, [], set()
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            match = self.LINE.match(line)
            if match:
                self.allowed[match[1], match[2], match[3]] = (number, int(match[4] or 0))
            else:
                self.errors.append(Finding(path, number, "exceptions", "-", "is not RULE PATH SUBJECT [SIZE] # REASON"))

    def permits(self, finding):
        key = finding.rule, finding.path, finding.subject
        if key not in self.allowed:
            return False
        self.used.add(key)
        number, size = self.allowed[key]
        if 0 < finding.value < 0.9 * size:
            self.errors.append(Finding(self.path, number, "exceptions", finding.subject,
                                       f"has shrunk: lower the number to {finding.value}"))
        return finding.value <= size

    def leftovers(self):
        """What is wrong with the list itself, once all findings have been shown to it."""
        stale = [Finding(self.path, number, "exceptions", " ".join(key), "is not needed any more: remove it")
                 for key, (number, _) in self.allowed.items() if key not in self.used]
        return self.errors + stale
