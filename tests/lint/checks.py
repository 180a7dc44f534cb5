"""The checks. Each takes a Tree and yields Findings; lint.py subtracts the named exceptions."""

import os
import re
import subprocess

from tests.lint import cpp
from tests.lint.tree import Finding

# Who may include whom: a module may include lower layers, never its own layer but itself.
LAYERS = {
    "base": 0, "resp": 1, "types": 1, "config": 1, "acl": 1, "store": 2, "state": 3, "commands": 4,
    "script": 5, "engine": 6, "persist": 6, "replication": 6, "admin": 6, "node": 7, "net": 8,
    "server": 9, "main": 10,
}

# Outside libraries, and the modules that may include them.
LIBRARIES = [
    (r"boost/", ("net", "server")),
    (r"(sys/(socket|epoll|un|ioctl|uio|eventfd|signalfd)|netinet/|arpa/|netdb|poll)", ("net", "server")),
    (r"spdlog/", ("base", "server")),
    (r"xxhash", ("base",)),
    (r"(lua|lauxlib|lualib)", ("script",)),
    (r"(thread|mutex|shared_mutex|condition_variable|future|stop_token)$", ("net", "server")),
]

# What the deterministic part must not call: the clock, chance, threads, files, the environment.
FORBIDDEN_BELOW_NET = [
    r"std::(?:jthread|thread|mutex|shared_mutex|recursive_mutex|condition_variable|async|future)\b",
    r"\bthread_local\b",
    r"\bg_\w+(?=\s*[=;{(])",
    r"\w+::now\(",
    # Not behind a word: `ArgReader time(words)` declares a variable.
    r"(?:(?<![\w>&*] )|(?<=return ))\b(?:gettimeofday|clock_gettime|time|sleep|usleep|nanosleep)\(",
    r"\bsleep_(?:for|until)\(",
    r"\b(?:rand|srand|random|arc4random)\(",
    r"std::(?:random_device|mt19937(?:_64)?|default_random_engine)\b",
    r"\b(?:secure_)?getenv\(",
    r"\b(?:std::|::)?(?:fopen|fsync|system|popen|fork)\(",
    r"(?<![\w>])::(?:open|openat|creat|unlink|rename|read|write|close)\(",
    r"std::(?:ifstream|ofstream|fstream|filesystem)\b",
    r"std::(?:cout|cerr|clog|printf)\b",
    r"\b(?:exit|_exit|quick_exit)\(",
    r"\bthrow\b",
]

# What does not compile under clang 14 with this standard library, or is not ours to use.
FORBIDDEN_EVERYWHERE = [r"std::views\b", r"std::format\b", r"std::expected\b"]

# Tests wait for events with a deadline, never for a time.
FORBIDDEN_IN_TESTS = [r"\bsleep_(?:for|until)\(", r"\b(?:usleep|nanosleep|sleep)\("]

FORBIDDEN_WORDS = [
    (re.compile(r"\b" + "FIX" + r"ME\b"), "an open end: finish it or file an issue"),
    (re.compile(r"\b" + "XX" + r"X\b"), "an open end: finish it or file an issue"),
    (re.compile(r"\b" + "TO" + r"DO\b(?!\(#\d+\))"), "names no issue: write (#number) behind it"),
    (re.compile(r"\b" + "DISA" + r"BLED_\w"), "a test that never runs"),
    (re.compile(r"\bNOLINT(?:NEXTLINE|BEGIN|END)?\b(?!\([\w-]+\))"), "must name its check"),
    # Cargo's lock files name the registry so; it is a name, and not where anything is fetched from.
    (re.compile(r'(?<!^source = "registry\+)' + "https?" + r"://(?!localhost|127\.0\.0\.1|\[::1\]|\$|\{|%|/)"),
     "an address on the network: nothing here is fetched from a place written down"),
]

LIMITS = {"cc": 800, "header": 300, "function": 70, "parameters": 6, "nesting": 4}


def check_include_order(tree):
    for file in tree.product_cpp():
        for line, path in quoted_includes(file):
            module = path.removeprefix("rung/").split("/")[0]
            if "/" not in path or module not in LAYERS:
                yield Finding(file.path, line, "include", path, "is not the path of a module's header")
            elif not may_include(file.module, module):
                yield Finding(file.path, line, "include", path,
                              f"{file.module} may not include {module}: see LAYERS")


def may_include(module, other):
    return module == other or LAYERS[other] < LAYERS[module]


def quoted_includes(file):
    for number, text in enumerate(file.lines, 1):
        match = re.match(r'\s*#\s*include\s+"([^"]+)"', text)
        if match:
            yield number, match[1]


def check_modules(tree):
    for file in tree.product_cpp():
        if file.module not in LAYERS:
            yield Finding(file.path, 1, "module", file.module, "is not in LAYERS")


def check_libraries(tree):
    for file in tree.product_cpp():
        for number, text in enumerate(file.lines, 1):
            match = re.match(r"\s*#\s*include\s+<([^>]+)>", text)
            if not match:
                continue
            for pattern, modules in LIBRARIES:
                if re.match(pattern, match[1]) and file.module not in (*modules, "main"):
                    yield Finding(file.path, number, "library", match[1],
                                  f"only {' and '.join(modules)} may include it")


def check_forbidden_calls(tree):
    for file in tree.cpp():
        patterns = list(FORBIDDEN_EVERYWHERE)
        if file.is_product and LAYERS.get(file.module, 0) < LAYERS["net"]:
            patterns += FORBIDDEN_BELOW_NET
        if file.path.startswith("tests/"):
            patterns += FORBIDDEN_IN_TESTS
        code = cpp.code_of(file.text)
        for pattern in patterns:
            for match in re.finditer(pattern, code):
                yield Finding(file.path, code.count("\n", 0, match.start()) + 1, "call",
                              match[0].rstrip("("), "is not to be used here")


def check_file_sizes(tree):
    for file in tree.cpp():
        kind = "header" if file.path.startswith("include/") else "cc"
        if len(file.lines) > LIMITS[kind]:
            yield Finding(file.path, 1, "file-lines", "-", f"limit {LIMITS[kind]}", len(file.lines))


def check_function_sizes(tree):
    for file in tree.cpp():
        for function in cpp.functions_of(file.text):
            for rule, value, limit in (("function-lines", function.length, LIMITS["function"]),
                                       ("parameters", function.parameters, LIMITS["parameters"]),
                                       ("nesting", function.nesting, LIMITS["nesting"])):
                if value > limit:
                    yield Finding(file.path, function.line, rule, function.name, f"limit {limit}", value)


def check_first_comment(tree):
    for file in tree.files:
        if file.comment_mark and not starts_with_comment(file):
            yield Finding(file.path, 1, "first-comment", "-", "the first line says what the file is for")


def starts_with_comment(file):
    lines = file.lines[1:] if file.text.startswith("#!") else file.lines
    first = lines[0].lstrip() if lines else ""
    return first.startswith(file.comment_mark) and any(char.isalpha() for char in first)


def check_columns(tree):
    for file in tree.files:
        for number, text in enumerate(file.lines, 1):
            if file.is_code and len(text) > file.columns:
                yield Finding(file.path, number, "columns", "-", f"{len(text)} columns, limit {file.columns}")


def check_words(tree):
    for file in tree.files:
        for number, text in enumerate(file.lines, 1):
            for pattern, why in FORBIDDEN_WORDS:
                match = pattern.search(text)
                if match:
                    yield Finding(file.path, number, "word", match[0], why)


def check_headers(tree):
    for file in tree.cpp():
        if not file.path.endswith(".h"):
            continue
        if "#pragma once" not in file.lines:
            yield Finding(file.path, 1, "header", "-", "has no #pragma once")
        for number, text in enumerate(file.lines, 1):
            if re.match(r"\s*using namespace\b", text):
                yield Finding(file.path, number, "header", "-", "using namespace in a header")


def check_test_files(tree):
    for file in tree.cpp():
        if re.match(r"tests/(unit|engine|model|protocol)/.*_test\.cc$", file.path) and "TEST" not in file.text:
            yield Finding(file.path, 1, "test-file", "-", "holds no test")
        if re.match(r"tests/(unit|engine|model)/", file.path) and file.path.endswith(".cc") and \
                not file.path.endswith("_test.cc"):
            yield Finding(file.path, 1, "test-file", "-", "is not named *_test.cc (what tests share is in tests/kit)")


def check_links(tree):
    for file in tree.files:
        if not file.path.endswith(".md"):
            continue
        for number, text in enumerate(file.lines, 1):
            for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
                if not os.path.exists(os.path.join(tree.root, os.path.dirname(file.path), target)):
                    yield Finding(file.path, number, "link", target, "leads nowhere")


def check_format(tree):
    if not tree.clang_format:
        return
    files = [file.path for file in tree.cpp()]
    for begin in range(0, len(files), 100):
        done = subprocess.run([tree.clang_format, "--dry-run", "-Werror", "--ferror-limit=1",
                               *files[begin:begin + 100]], cwd=tree.root, capture_output=True, text=True)
        for match in re.finditer(r"(?m)^(\S+?):(\d+):\d+: error: ", done.stderr):
            yield Finding(match[1], int(match[2]), "format", "-", "not as clang-format has it: ./dev format")


ALL = [value for name, value in sorted(globals().items()) if name.startswith("check_")]
