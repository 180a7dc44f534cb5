"""Just enough of C++ to lint it: code without comments and literals, and its functions."""

import dataclasses
import re

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<raw>R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)")"""
    r"""|(?P<text>"(?:\\.|[^"\\\n])*")"""
    r"""|(?P<char>(?<![0-9a-fA-F])'(?:\\.[^'\n]*|[^'\\\n])')""", re.S)

NOT_A_FUNCTION = re.compile(r"^\s*(?:inline\s+)?(?:namespace|class|struct|enum|union|extern)\b|=\s*$")
CONTROL = re.compile(r"^\s*(?:\}?\s*else|if|for|while|switch|do|try|catch)\b")
SCOPE = re.compile(r"\s*(?:template\b.*?>\s*)?(?:inline\s+)?(?:namespace|class|struct|union|extern)\b", re.S)
LABEL = re.compile(r"^\s*(?:(?:public|private|protected)\s*:(?!:)\s*)+")
TEMPLATE = re.compile(r"^\s*template\s*<")
MEMBER_INITIALIZER = re.compile(r"\)[^()]*[^:]:[^:].*\w\s*$", re.S)  # In front of a_{1} behind a constructor.
TEST_MACRO = re.compile(r"\b(?:TEST|TEST_F|TEST_P|TYPED_TEST)\s*\(\s*(\w+)\s*,\s*(\w+)\s*\)")


@dataclasses.dataclass
class Function:
    name: str
    line: int  # Of its first word, counted from 1.
    length: int  # In lines, from there to the closing brace.
    parameters: int
    nesting: int  # Deepest control structure with braces inside.


def blank(text):
    """Spaces in place of `text`, its line ends kept."""
    return re.sub(r"[^\n]", " ", text)


def code_of(source):
    """The source with comments blanked, and literals blanked between their quotes."""

    def replace(match):
        found = match[0]
        if match["comment"] is not None:
            return blank(found)
        return found[0] + blank(found[1:-1]) + found[-1]

    return TOKEN.sub(replace, source)


def without_preprocessor(code):
    return re.sub(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda match: blank(match[0]), code)


def functions_of(source):
    """The functions defined in `source`, in order of their end. Lambdas belong to theirs."""
    code = without_preprocessor(code_of(source))
    found, stack, parens, start = [], [], 0, 0
    for match in re.finditer(r"[{};()]", code):
        mark, at = match[0], match.start()
        if mark in "()":
            parens += 1 if mark == "(" else -1
        elif mark == "{":
            stack.append(open_block(code, start, at, parens, stack))
            if stack[-1]["kind"] != "value":
                parens, start = 0, at + 1
        elif mark == "}" and stack:
            block = stack.pop()
            if block["kind"] == "function":
                found.append(close_function(code, block, at))
            if block["kind"] != "value":
                parens, start = block["parens"], at + 1
        elif mark == ";" and parens == 0:
            start = at + 1
    return found


def open_block(code, start, at, parens, stack):
    """What kind of block the brace at `at` opens; `start` is where its statement began."""
    head = code[start:at]
    label = LABEL.match(head)
    begin = start + (label.end() if label else 0)
    head = code[begin:at]
    begin += len(head) - len(head.lstrip())
    block = {"begin": begin, "at": at, "parens": parens, "deepest": 0}
    inside = next((outer for outer in reversed(stack) if outer["kind"] == "function"), None)
    if inside:
        block["kind"] = "control" if CONTROL.match(head) else "lambda"
        depth = sum(1 for outer in stack if outer["kind"] == "control")
        inside["deepest"] = max(inside["deepest"], depth + (block["kind"] == "control"))
    elif parens > 0 or MEMBER_INITIALIZER.search(head) or not looks_like_function(head):
        block["kind"] = "scope" if SCOPE.match(head) else "value"
    else:
        block["kind"] = "function"
    return block


def looks_like_function(head):
    if TEMPLATE.match(head):
        head = after_template(head)
    assigns = re.search(r"(?<![=!<>])=(?!=)", outside_parens(head))
    return "(" in head and not NOT_A_FUNCTION.search(head) and not assigns


def after_template(head):
    """`head` behind its template parameter list."""
    depth = 0
    for match in re.finditer(r"[<>]", head):
        depth += 1 if match[0] == "<" else -1
        if depth == 0:
            return head[match.end():]
    return head


def outside_parens(text):
    depth, kept = 0, []
    for char in re.sub(r"operator\s*[^\s(]+", "operator", text):
        depth += char == "("
        if depth == 0:
            kept.append(char)
        depth -= char == ")"
    return "".join(kept)


def close_function(code, block, end):
    head = code[block["begin"]:block["at"]]
    line = code.count("\n", 0, block["begin"]) + 1
    test = TEST_MACRO.search(head)
    name = re.search(r"(operator\s*[^\s(]+|~?\w+)\s*\(", after_template(head) if TEMPLATE.match(head) else head)
    return Function(name=f"{test[1]}.{test[2]}" if test else name[1] if name else "?", line=line,
                    length=code.count("\n", block["begin"], end) + 1,
                    parameters=count_parameters(head), nesting=block["deepest"])


def count_parameters(head):
    """Parameters in the first pair of parentheses."""
    begin = head.find("(")
    depth, commas, seen = 0, 0, False
    for char in head[begin:]:
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
            if depth == 0:
                break
        elif char == "," and depth == 1:
            commas += 1
        elif not char.isspace():
            seen = True
    return commas + 1 if seen else 0
