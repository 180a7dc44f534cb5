#!/usr/bin/env python3
"""Each check of the lint is shown a tree that breaks its rule, and must say so; and a clean tree, and must not."""

import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tests.lint import checks, cpp  # noqa: E402
from tests.lint.lint import EXCEPTIONS, lint  # noqa: E402
from tests.lint.tree import usable_clang_format  # noqa: E402

CLEAN = {
    "include/rung/base/word.h": "// Word: one word.\n#pragma once\n\nnamespace rung {}\n",
    "src/base/word.cc": '// See word.h.\n\n#include "rung/base/word.h"\n\nnamespace rung {}\n',
    "src/types/tree.cc": '// A tree.\n\n#include "rung/base/word.h"\n',
    "tests/unit/base/word_test.cc": "// Words.\nTEST(WordTest, IsAWord) {}\n",
    "dev": "#!/bin/sh\n# The entry.\n",
}
OPEN_END = "TO" + "DO"


class LintTest(unittest.TestCase):
    def findings(self, planted=None, clang_format=None):
        """(rule, path, line, subject) of what the lint finds in the clean tree with `planted` laid over it."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in {**CLEAN, **(planted or {})}.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            return [(f.rule, f.path, f.line, f.subject) for f in lint(root, clang_format)]

    def test_clean_tree_has_no_findings(self):
        self.assertEqual(self.findings(), [])

    def test_every_check_is_broken_by_some_test_here(self):
        with open(__file__, encoding="utf-8") as file:
            text = file.read()
        rules = {"include", "module", "library", "call", "file-lines", "function-lines", "parameters", "nesting",
                 "first-comment", "columns", "word", "header", "test-file", "link",
                 "format"}
        for rule in rules:
            self.assertIn(f'"{rule}"', text.split("def test_every_check", 1)[1].split("def ", 1)[1])
        self.assertEqual(len(checks.ALL), 13)

    def test_include_of_a_higher_layer(self):
        planted = {"src/types/tree.cc": '// A tree.\n#include "rung/store/keyspace.h"\n'}
        self.assertEqual(self.findings(planted), [("include", "src/types/tree.cc", 2, "rung/store/keyspace.h")])

    def test_include_of_another_module_in_the_same_layer(self):
        planted = {"src/types/tree.cc": '// A tree.\n#include "rung/resp/parser.h"\n'}
        self.assertEqual(self.findings(planted), [("include", "src/types/tree.cc", 2, "rung/resp/parser.h")])

    def test_include_of_own_private_header_is_allowed(self):
        planted = {"src/types/tree.cc": '// A tree.\n#include "types/node.h"\n#include "rung/types/tree.h"\n'}
        self.assertEqual(self.findings(planted), [])

    def test_include_without_module(self):
        planted = {"src/types/tree.cc": '// A tree.\n#include "node.h"\n'}
        self.assertEqual(self.findings(planted), [("include", "src/types/tree.cc", 2, "node.h")])

    def test_public_header_above_its_layer(self):
        planted = {"include/rung/base/word.h": '// Word.\n#pragma once\n#include "rung/net/server.h"\n'}
        self.assertEqual(self.findings(planted), [("include", "include/rung/base/word.h", 3, "rung/net/server.h")])

    def test_module_that_no_layer_knows(self):
        planted = {"src/utils/misc.cc": "// Misc.\n"}
        self.assertEqual(self.findings(planted), [("module", "src/utils/misc.cc", 1, "utils")])

    def test_outside_library_in_the_wrong_module(self):
        for header in ("boost/asio.hpp", "sys/epoll.h", "thread", "lua.h"):
            planted = {"src/types/tree.cc": f"// A tree.\n#include <{header}>\n"}
            self.assertEqual(self.findings(planted), [("library", "src/types/tree.cc", 2, header)])
        self.assertEqual(self.findings({"src/net/loop.cc": "// A loop.\n#include <sys/epoll.h>\n"}), [])

    def test_forbidden_calls_below_net(self):
        for call in ("std::thread", "std::mutex", "steady_clock::now", "time", "rand", "std::random_device",
                     "getenv", "fopen", "std::ifstream", "sleep_for", "throw", "std::cout", "clock_gettime", "::read",
                     "exit"):
            text = f"// A tree.\nvoid F() {{\n  {call}(nullptr);\n}}\n"
            self.assertEqual(self.findings({"src/types/tree.cc": text}), [("call", "src/types/tree.cc", 3, call)])
            if call not in ("sleep_for",):
                self.assertEqual(self.findings({"src/net/tree.cc": text}), [])

    def test_clock_behind_return(self):
        planted = {"src/types/tree.cc": "// A tree.\nint F() { return time(nullptr); }\n"}
        self.assertEqual(self.findings(planted), [("call", "src/types/tree.cc", 2, "time")])

    def test_global_state(self):
        planted = {"src/types/tree.cc": "// A tree.\nint g_count = 0;\n"}
        self.assertEqual(self.findings(planted), [("call", "src/types/tree.cc", 2, "g_count")])

    def test_calls_in_comments_texts_and_longer_names_are_allowed(self):
        text = ('// time(\n/* rand( */ const char* a = "time(";\n'
                'int b = wall_time(1) + tree.downtime(2);\nReader time(words);\n')
        self.assertEqual(self.findings({"src/types/tree.cc": text}), [])

    def test_what_clang_14_cannot_compile(self):
        planted = {"src/net/loop.cc": "// A loop.\nauto a = std::views::all;\n"}
        self.assertEqual(self.findings(planted), [("call", "src/net/loop.cc", 2, "std::views")])

    def test_sleeping_test(self):
        planted = {"tests/protocol/x_test.cc": "// X.\nTEST(X, Y) {\n  usleep(1);\n}\n"}
        self.assertEqual(self.findings(planted), [("call", "tests/protocol/x_test.cc", 3, "usleep")])

    def test_file_sizes(self):
        long_file = "// A tree.\n" + "int a;\n" * 800
        self.assertEqual(self.findings({"src/types/tree.cc": long_file}), [("file-lines", "src/types/tree.cc", 1, "-")])
        header = "// Word.\n#pragma once\n" + "int a;\n" * 299
        self.assertEqual(self.findings({"include/rung/base/word.h": header}),
                         [("file-lines", "include/rung/base/word.h", 1, "-")])

    def test_function_sizes(self):
        body = "  a();\n" * 69
        self.assertEqual(self.findings({"src/types/tree.cc": f"// A tree.\nvoid F() {{\n{body}}}\n"}),
                         [("function-lines", "src/types/tree.cc", 2, "F")])
        self.assertEqual(self.findings({"src/types/tree.cc": f"// A tree.\nvoid F() {{\n{body[:-7]}}}\n"}), [])
        self.assertEqual(self.findings({"src/types/tree.cc": "// A tree.\nint F(int a, int b, std::map<int, int> c, "
                                                             "int d,\n      int e, int f, int g) {\n}\n"}),
                         [("parameters", "src/types/tree.cc", 2, "F")])
        deep = "  if (a) {\n" * 5 + "}\n" * 5
        self.assertEqual(self.findings({"src/types/tree.cc": f"// A tree.\nvoid F() {{\n{deep}}}\n"}),
                         [("nesting", "src/types/tree.cc", 2, "F")])

    def test_first_comment(self):
        for path in ("src/types/tree.cc", "cmake/X.cmake", "dev"):
            planted = {path: "#!/bin/sh\nint a;\n" if path == "dev" else "int(a);\n"}
            self.assertEqual(self.findings(planted), [("first-comment", path, 1, "-")])

    def test_long_lines(self):
        planted = {"src/types/tree.cc": "// A tree.\n// " + "x" * 98 + "\n"}
        self.assertEqual(self.findings(planted), [("columns", "src/types/tree.cc", 2, "-")])

    def test_words(self):
        url = "http" + "://example.org/x"
        for word in ("FIX" + "ME", "XX" + "X", OPEN_END, url, "NO" + "LINT", f'source = "registry+{url}"'):
            found = self.findings({"src/types/tree.cc": f"// A tree.\n// {word} later\n"})
            self.assertEqual([f[:3] for f in found], [("word", "src/types/tree.cc", 2)], word)
        allowed = f"// {OPEN_END}(#12) later; http" + "://127.0.0.1:80 NO" + "LINT(some-check): reason\n"
        self.assertEqual(self.findings({"src/types/tree.cc": "// A tree.\n" + allowed}), [])
        self.assertEqual(self.findings({"tests/clients/x/Cargo.lock": f'source = "registry+{url}"\n'}), [])

    def test_headers(self):
        self.assertEqual(self.findings({"src/types/node.h": "// A node.\n"}), [("header", "src/types/node.h", 1, "-")])
        planted = {"src/types/node.h": "// A node.\n#pragma once\nusing namespace std;\n"}
        self.assertEqual(self.findings(planted), [("header", "src/types/node.h", 3, "-")])

    def test_test_files(self):
        self.assertEqual(self.findings({"tests/unit/x_test.cc": "// X.\n"}),
                         [("test-file", "tests/unit/x_test.cc", 1, "-")])
        self.assertEqual(self.findings({"tests/unit/x.cc": "// X.\nTEST(X, Y) {}\n"}),
                         [("test-file", "tests/unit/x.cc", 1, "-")])

    def test_links(self):
        planted = {"docs/a.md": "# A\n[b](b.md) [up](../dev) [out](mailto:x) [here](#a) [part](a.md#a)\n"}
        self.assertEqual(self.findings(planted), [("link", "docs/a.md", 2, "b.md")])

    @unittest.skipUnless(usable_clang_format(), "no clang-format 14")
    def test_format(self):
        planted = {"src/types/tree.cc": "// A tree.\nint  a;\n"}
        self.assertEqual(self.findings(planted, usable_clang_format()), [("format", "src/types/tree.cc", 2, "-")])
        self.assertEqual(self.findings({}, usable_clang_format()), [])

    def test_exception_permits_and_must_be_needed(self):
        text = "// A tree.\nint g_count = 0;\n"
        allowed = "call src/types/tree.cc g_count # counts\n"
        self.assertEqual(self.findings({"src/types/tree.cc": text, EXCEPTIONS: "# List.\n" + allowed}), [])
        self.assertEqual(self.findings({EXCEPTIONS: "# List.\n" + allowed}),
                         [("exceptions", EXCEPTIONS, 2, "call src/types/tree.cc g_count")])
        self.assertEqual([f[0] for f in self.findings({EXCEPTIONS: "# List.\ncall src/types/tree.cc g_count\n"})],
                         ["exceptions"])

    def test_exception_with_a_size_is_a_ratchet(self):
        text = "// A tree.\nvoid F() {\n" + "  a();\n" * 70 + "}\n"
        for size, rules in ((72, []), (79, []), (71, ["function-lines"]), (85, ["exceptions"])):
            listed = f"# List.\nfunction-lines src/types/tree.cc F {size} # a table\n"
            found = self.findings({"src/types/tree.cc": text, EXCEPTIONS: listed})
            self.assertEqual([f[0] for f in found], rules)


class FunctionsTest(unittest.TestCase):
    def test_finds_functions_and_nothing_else(self):
        source = '''
namespace rung {
struct Point { int x = 0; };
constexpr std::array kTable = {Row{.name = "a", .run = &Run}, Row{.name = "b"}};
enum class Kind : int { kA, kB };
template <typename T, typename = int>
class Box : public Base<T> {
 public:
  explicit Box(int a) : a_{a}, b_(a) {}
  bool operator==(const Box& other) const = default;
  int size() const { return a_; }
 private:
  int a_{0};
};
template <typename T>
auto Run(T first, std::pair<int, int> second) -> int {
  auto inner = [&](int a) { if (a) { return 1; } return 2; };
  for (const int a : {1, 2}) {
    inner(a);
  }
  return 1'000'000;
}
TEST(RunTest, Runs) { Run(1, {2, 3}); }
}  // namespace rung
'''
        found = [(f.name, f.line, f.length, f.parameters, f.nesting) for f in cpp.functions_of(source)]
        self.assertEqual(found, [("Box", 9, 1, 1, 0), ("size", 11, 1, 0, 0), ("Run", 15, 8, 2, 1),
                                 ("RunTest.Runs", 23, 1, 2, 0)])


if __name__ == "__main__":
    unittest.main()
