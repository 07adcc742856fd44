"""Checks that no function has more than 60 lines, tables excepted; names sources of more than 400.

Relies on clang-format's layout: a function's body ends with a brace in the column its declaration
starts in. Prints one line per violation and exits 1.
"""
import pathlib
import re
import sys

LONG_SOURCE_LINES = 400
MAX_FUNCTION_LINES = 60
NO_FUNCTION = re.compile(r"\s*(inline )?(namespace|class|struct|enum|union|extern|constexpr std::array|template)\b")
# What only lists: the fields of settings, one after the other.
TABLES = re.compile(r"\bvisit(_\w+)?\(FieldVisitor& ")


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


def functions(lines):
    """(first line's number, lines, declaration) of everything in braces that is a function."""
    for end, line in enumerate(lines):
        if not re.fullmatch(r" *\}", line):
            continue
        start = end - 1
        while start >= 0 and (not lines[start].strip() or indent_of(lines[start]) > indent_of(line)):
            start -= 1
        if start >= 0 and not NO_FUNCTION.match(lines[start]):
            yield start + 1, end - start + 1, lines[start].strip()


def check_file(path, name):
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) > LONG_SOURCE_LINES:
        print(f"{name}: {len(lines)} lines. Does it hold two things?")
    for number, length, declaration in functions(lines):
        if length > MAX_FUNCTION_LINES and not TABLES.search(declaration):
            yield f"{name}:{number}: {declaration} … has {length} lines (at most {MAX_FUNCTION_LINES})."


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files = [path for folder in ("suite", "workloads", "launchers", "analysis", "tests", "benchmarks")
             for path in sorted((root / folder).rglob("*")) if path.suffix in (".cpp", ".hpp")]
    violations = [text for path in files for text in check_file(path, path.relative_to(root))]
    print("\n".join(violations + [f"{len(files)} files, {len(violations)} violations"]))
    return 1 if violations or not files else 0


if __name__ == "__main__":
    sys.exit(main())
