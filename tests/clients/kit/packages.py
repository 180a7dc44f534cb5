"""Installs what the programs of tests/clients pin, with the package managers of their languages.

A package manager that is missing or too old, and a registry that cannot be reached, are no fault of the
broker's or of the test's: the test is skipped, and its last line names what is missing. An
installation or a compilation that fails in any other way has failed.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

KIT = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(KIT, "../../.."))
SKIPPED = 77

# For each package manager its registry, and what it prints when it cannot reach that.
REGISTRIES = {
    "npm": ("the npm registry", r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|E50[234])\b"),
    "pip": ("PyPI", r"NewConnectionError|ConnectTimeoutError|ReadTimeoutError|NameResolutionError|ProxyError"),
    "go": ("the Go module proxy", r"\bdial tcp\b|: i/o timeout|TLS handshake timeout|: 50[234] "),
    "cargo": ("the crates registry",
              r"[Cc]ould ?n.t (resolve|connect)|Failed to connect|Timeout was reached|code: 50[234]"),
    "mvn": ("Maven Central",
            r"Connection refused|Unknown ?[Hh]ost|[Cc]onnect timed out|unreachable|status code: 50[234]"),
}
NO_PIP = r"ensurepip is not available"


class Skipped(SystemExit):
    """Ends the test as skipped."""

    def __init__(self, reason):
        super().__init__(SKIPPED)
        self.reason = reason


def skip(reason):
    print(f"skipped: {reason}", flush=True)
    raise Skipped(reason)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            skip(f"no {program} here")


def need_library(name, package, *probe):
    """Skips when `probe`, a command that loads the library, fails. The library comes with a package of the system."""
    need(probe[0])
    if subprocess.run(probe, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL).returncode != 0:
        skip(f"no {name} here (Debian's package {package})")


def need_version(program, arguments, least):
    """Skips when the first version that `program` prints is below `least`, such as "1.24"."""
    need(program)
    environment = {**os.environ, "GOTOOLCHAIN": "local"}
    printed = subprocess.run([program, *arguments], check=True, stdout=subprocess.PIPE, text=True,
                             env=environment, stdin=subprocess.DEVNULL).stdout
    found = re.search(r"\d+(\.\d+)*", printed)[0]
    numbers = [[int(part) for part in version.split(".")] for version in (found, least)]
    if numbers[0] < numbers[1]:
        skip(f"{program} {found} here, {least} is needed")


def install(name, files, command, marker, manager):
    """The folder, under build/, where `command` has installed what `files` pin. Once for each content of them."""
    digest = hashlib.sha256()
    for path in files:
        with open(path, "rb") as file:
            digest.update(file.read())
    folder = os.path.join(ROOT, "build", "clients", f"{name}-{digest.hexdigest()[:16]}")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, ".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = os.path.join(folder, ".installed")
        if not os.path.exists(done) or not os.path.exists(os.path.join(folder, marker)):
            for path in files:
                shutil.copy(path, folder)
            run_installer(command, folder, manager)
            with open(done, "w", encoding="ascii"):
                pass
    return folder


def run_installer(command, folder, manager):
    """Skips when the registry of `manager` is out of reach; ends the test as failed when `command` fails otherwise."""
    made = subprocess.run(command, cwd=folder, check=False, shell=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if made.returncode == 0:
        return
    print(made.stdout[-4000:])
    registry, unreachable = REGISTRIES[manager]
    if re.search(unreachable, made.stdout):
        skip(f"`{command}` cannot reach {registry}")
    if manager == "pip" and re.search(NO_PIP, made.stdout):
        skip("no pip for python3 -m venv here (Debian's package python3-venv)")
    print(f"failed: `{command}` ended with {made.returncode}, see above", flush=True)
    sys.exit(1)


def _pinned(folder, names):
    return [os.path.join(folder, name) for name in names]


def _least_node(lock):
    """The Node.js that the packages of a package-lock.json ask for: the largest of their smallest."""
    with open(lock, encoding="utf-8") as file:
        packages = json.load(file)["packages"].values()
    least = 0
    for package in packages:
        engines = package.get("engines", {})
        wanted = engines.get("node", "") if isinstance(engines, dict) else ""
        choices = re.findall(r"(?:^|\|\|)\s*[>=^~]*\s*(\d+)", wanted)
        least = max(least, min(map(int, choices), default=0))
    return str(least)


def node_modules(folder):
    """The path to what package-lock.json in `folder` pins, as NODE_PATH takes it."""
    files = _pinned(folder, ["package.json", "package-lock.json"])
    need("npm")
    need_version("node", ["--version"], _least_node(files[1]))
    place = install(os.path.basename(folder), files, "npm ci --no-audit --no-fund", "node_modules", "npm")
    return os.path.join(place, "node_modules")


def python_with(folder):
    """The Python that has what requirements.txt in `folder` pins."""
    need("python3")
    place = install(os.path.basename(folder), _pinned(folder, ["requirements.txt"]),
                    "python3 -m venv venv && venv/bin/pip install -q -r requirements.txt", "venv/bin/python3", "pip")
    return os.path.join(place, "venv/bin/python3")


def go_program(folder, source):
    """The program made of the one file `source` and the modules that go.mod and go.sum in `folder` pin."""
    files = _pinned(folder, ["go.mod", "go.sum", source])
    with open(files[0], encoding="utf-8") as file:
        need_version("go", ["env", "GOVERSION"], re.search(r"^go (\S+)$", file.read(), re.M)[1])
    place = install(os.path.basename(folder), files, "go build -mod=readonly -o program .", "program", "go")
    return os.path.join(place, "program")


def rust_program(folder):
    """The program of the crate in `folder`: main.rs, and the crates that Cargo.lock pins."""
    files = _pinned(folder, ["Cargo.toml", "Cargo.lock", "main.rs"])
    with open(files[0], encoding="utf-8") as file:
        need_version("cargo", ["--version"], re.search(r'^rust-version = "(\S+)"$', file.read(), re.M)[1])
    # Apart from what else is built: a failed one leaves its crates to the next.
    target = os.path.join(ROOT, "build", "clients", f"{os.path.basename(folder)}-target")
    place = install(os.path.basename(folder), files,
                    f"cargo build --quiet --locked --target-dir '{target}' && cp '{target}/debug/program' .", "program",
                    "cargo")
    return os.path.join(place, "program")


def java_classes(folder, source):
    """The class path of the one file `source` and what pom.xml in `folder` pins."""
    need("java", "javac", "mvn")
    place = install(os.path.basename(folder), _pinned(folder, ["pom.xml", source]), "mvn -q -B package", "target/lib",
                    "mvn")
    return os.path.join(place, "target/classes") + ":" + os.path.join(place, "target/lib/*")
