"""Checks that each layer includes only what it may use (CONTRIBUTING.md, "Layers").

Also: rooms of record and analysis use only lower ones, no two folders include each other, third-party headers stay in their
layers, only the steady clock is used, the full JSON header stays in JSON sources, headers are guarded. Prints one line per
violation and exits 1.
"""
import pathlib
import re
import sys

CORE = {"core"}
STUDY = CORE | {"study"}
LIGHT = STUDY | {"hdf5", "record", "data", "comm"}
ENGINE = LIGHT | {"engine"}
TRAINING = ENGINE | {"training"}

# layer: layers it may include (itself always)
MAY_USE = {
    "core": CORE,
    "hdf5": CORE | {"hdf5"},
    "study": STUDY,
    "record": STUDY | {"hdf5", "record"},
    "data": CORE | {"hdf5", "data"},
    "comm": CORE | {"comm"},
    "engine": ENGINE,
    "training": TRAINING,
    "workloads": TRAINING | {"workloads"},
    "launchers": STUDY | {"launchers"},
    "analysis": STUDY | {"hdf5", "record", "analysis"},
    "rank": TRAINING | {"workloads", "rank"},
    "driver": STUDY | {"hdf5", "record", "data", "workloads", "launchers", "analysis", "driver"},
    "benchmarks": TRAINING | {"workloads", "analysis", "benchmarks"},
}
# The rooms of record and of analysis, lower ones first: each includes only those before it.
ROOMS = ["record/run_file", "record/machine", "record/measures", "record/study_folder", "analysis/statistics", "analysis/series",
         "analysis/step", "analysis/speed", "analysis/exchange", "analysis/learning", "analysis/published", "analysis/importers",
         "analysis/export", "analysis/study", "analysis/report", "analysis/report/text", "analysis/report/plot",
         "analysis/report/step", "analysis/report/speed", "analysis/report/exchange", "analysis/report/learning",
         "analysis/report/published", "analysis/report/study", "analysis/claims", "analysis/report/page"]
SIBLINGS_THAT_USE_STUDY = {"record", "data", "comm"}  # their settings come as study structs

# header pattern: who may include it, by layer or file
THIRD_PARTY = [
    (r"(torch|ATen|c10|caffe2)/", lambda f: f.layer == "training" or (f.layer == "workloads" and not f.is_light)
     or f.folder in {"rank/torch", "benchmarks/torch"} or f.path == "benchmarks/timeline_benchmark.cpp",
     "LibTorch belongs to training, the heavy part of workloads and rank/torch"),
    (r"mpi\.h", lambda f: f.layer == "comm" and (f.is_source or f.name.startswith("mpi_")) or f.path == "benchmarks/raw_mpi.cpp",
     "MPI belongs to sources and private mpi_*.hpp of comm; what comm is compared with calls it in one place"),
    (r"comm/mpi_\w+\.hpp", lambda f: f.layer == "comm", "this header is private to comm"),
    (r"(hdf5|H5\w*|hdf5_hl)\.h$", lambda f: f.layer == "hdf5" and f.is_source,
     "HDF5's headers belong to sources of hdf5"),
    (r"hdf5/(?!storage)\w+\.hpp", lambda f: f.layer == "hdf5" or (f.layer in {"record", "data"} and f.is_source),
     "HDF5's owners and calls belong to sources of record and data"),
    (r"tiff(io)?\.h", lambda f: f.layer == "data" and f.is_source, "libtiff belongs to sources of data"),
    (r"(png\w*|jpeglib|jerror)\.h$", lambda f: f.layer == "data" and f.is_source or f.path == "analysis/report/plot/png.cpp",
     "libpng and libjpeg belong to sources of data; the report writes its pictures in one place"),
    (r"xx(hash|h_x86dispatch)\.h$", lambda f: f.layer == "data" and f.is_source, "libxxhash belongs to sources of data"),
    (r"CLI/", lambda f: f.layer in {"driver", "rank"}, "CLI11 belongs to driver and rank"),
    (r"boost/", lambda f: f.layer == "analysis" and f.is_source, "Boost belongs to sources of analysis"),
    (r"nlohmann/json\.hpp|study/\w+_json\.hpp", lambda f: f.name.endswith(("_json.cpp", "_json.hpp"))
     or f.is_light_descriptor
     or f.is_source and f.layer == "driver" or f.name == "host_environment.cpp",
     "the full JSON header belongs to *_json.cpp, *_json.hpp, the driver's sources and "
     "host_environment.cpp; use json_fwd.hpp"),
]
LIGHT_WORKLOAD_FILES = {"descriptor.cpp", "settings.hpp", "settings.cpp",
                        "catalogue.hpp", "catalogue.cpp"}
CLOCKS = re.compile(r"\b(system_clock|high_resolution_clock|gettimeofday|CLOCK_REALTIME)\b")
ALLOWED_CLOCK_FILES = {"suite/core/clock.cpp", "suite/core/clock.hpp", "suite/core/provenance.cpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


class File:
    def __init__(self, root, path):
        self.path = path.relative_to(root).as_posix()
        self.name = path.name
        parts = self.path.split("/")
        self.layer = parts[1] if parts[0] == "suite" else parts[0]
        self.folder = self.path.rsplit("/", 1)[0].removeprefix("suite/")
        self.is_source = path.suffix == ".cpp"
        self.is_light = self.layer == "workloads" and self.name in LIGHT_WORKLOAD_FILES
        self.is_light_descriptor = self.is_light and self.is_source
        self.lines = path.read_text(encoding="utf-8").splitlines()

    def may_use(self):
        if self.layer in SIBLINGS_THAT_USE_STUDY:
            return MAY_USE[self.layer] | STUDY
        if self.is_light:
            return STUDY | {"workloads"}
        return MAY_USE[self.layer]


def included_layer(name):
    first = name.split("/")[0]
    return first if first in MAY_USE else None


def check_include(file, number, kind, name):
    for pattern, allowed, reason in THIRD_PARTY:
        if re.match(pattern, name) and not allowed(file):
            yield f"{file.path}:{number}: includes {name} ({reason})."
    layer = included_layer(name) if kind == '"' else None
    if layer and layer not in file.may_use():
        yield f"{file.path}:{number}: layer {file.layer} may not use {name} (layers use only lower ones)."
    if kind == '"' and name.startswith("../"):
        yield f"{file.path}:{number}: includes {name} (give the path from suite/ or from the root)."


def check_file(file):
    for number, line in enumerate(file.lines, 1):
        found = INCLUDE.match(line)
        if found:
            yield from check_include(file, number, *found.groups())
        code = line.split("//")[0]
        clock = CLOCKS.search(code)
        if clock and file.path not in ALLOWED_CLOCK_FILES:
            yield f"{file.path}:{number}: uses {clock[0]} (durations come from the steady clock of core/clock.hpp)."
    if file.path.endswith(".hpp") and "#pragma once" not in file.lines:
        yield f"{file.path}:1: no #pragma once."


def includes_of(file):
    """Folders of the project that `file` includes something of, with the line."""
    for number, line in enumerate(file.lines, 1):
        found = INCLUDE.match(line)
        if found and found[1] == '"' and "/" in found[2]:
            yield found[2].rsplit("/", 1)[0].removeprefix("suite/"), number


def check_folders(files):
    """No two folders may need each other, directly or by others: then one of them is not above."""
    users = {}  # folder -> {folder it includes: where}
    for file in files:
        for folder, number in includes_of(file):
            if folder != file.folder:
                users.setdefault(file.folder, {}).setdefault(folder, f"{file.path}:{number}")

    def reaches(start, goal, seen):
        return any(step == goal or step not in seen and reaches(step, goal, seen | {step})
                   for step in users.get(start, {}))

    for folder, included in sorted(users.items()):
        for other, place in sorted(included.items()):
            if folder < other and reaches(other, folder, {other}):
                yield f"{place}: folder {folder} includes {other}, which needs {folder} (includes run one way)."


def check_rooms(files):
    for file in files:
        if file.layer not in {"record", "analysis"}:
            continue
        if file.folder not in ROOMS:
            yield f"{file.path}:1: stands in no room of {file.layer} (ROOMS of this check lists them)."
            continue
        for folder, number in includes_of(file):
            if folder in ROOMS and ROOMS.index(folder) > ROOMS.index(file.folder):
                yield f"{file.path}:{number}: room {file.folder} may not use {folder} (rooms use only lower ones)."


def project_files(root):
    for folder in ("suite", "workloads", "launchers", "analysis", "benchmarks"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cpp", ".hpp"):
                yield File(root, path)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files = list(project_files(root))
    violations = [text for file in files for text in check_file(file)] + list(check_folders(files)) + list(check_rooms(files))
    print("\n".join(violations + [f"{len(files)} files, {len(violations)} violations"]))
    return 1 if violations or not files else 0


if __name__ == "__main__":
    sys.exit(main())
