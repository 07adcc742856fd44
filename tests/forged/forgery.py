"""Changes valid run files as someone hostile would: what stands in them, how it is stored, what it links to.

forge(source, target, random, run_id) writes one changed copy; its checksum no longer fits (tests/forged/reseal.cpp)."""
import json
import os
import shutil

import h5py
import numpy

USER_BLOCK_BYTES = 512
MOST_BYTES = 1 << 30  # a file of holes may be longer, and is then not even sealed
SECRET = "/etc/hostname"
NUMBERS = (0.0, -0.0, -1.0, 1.0, 5e-324, -5e-324, 2.2e-308, 1e-300, 1e-30, 1e30, 1e300, 1.7e308, -1.7e308,
           float("nan"), float("inf"), float("-inf"), 2.0**31, 2.0**53, 2.0**63, -2.0**63, 1e18)
INTEGERS = (0, -1, 1, 2, 255, 2**31, 2**40, 10**15, 2**53, 10**18, 2**63 - 1, -2**63)
TEXTS = ("", " ", "\0", "a\0b", "x" * 70000, "\x1b[2J\x1b]0;title\x07", "\r\n\t\v", "<script>alert(1)</script>",
         "../../../../etc/passwd", "'; system('id') #", "\u202e\u0000\uffff", b"\xff\xfe\x80", b"\xc2\x9b31m")
JSON_TEXTS = ("", "null", "[]", "{}", "{", "[" * 5000, '{"a":' * 300 + "1" + "}" * 300, '{"a": 1, "a": 2}', "1e999",
              '{"' + "k" * 50000 + '": {' + ", ".join(f'"{i}": 1' for i in range(5000)) + "}}", "\x1b[2J", b"\xff{}")


def datasets_of(file):
    found = []
    file.visititems(lambda name, item: found.append(name) if isinstance(item, h5py.Dataset) else None)
    return sorted(found)


def is_text(data):
    return h5py.check_string_dtype(data.dtype) is not None


def any_index(data, random):
    return tuple(random.randrange(side) for side in data.shape)


def replace(file, name, **options):
    attributes = dict(file[name].attrs)
    del file[name]
    data = file.create_dataset(name, **options)
    for key, value in attributes.items():
        data.attrs[key] = value


# Each of these changes one thing. What a file does not have, it leaves as it is.

def extreme_numbers(file, random):
    data = file[random.choice([n for n in datasets_of(file) if not is_text(file[n])])]
    values = NUMBERS if data.dtype.kind == "f" else INTEGERS
    if random.random() < 0.4:
        with numpy.errstate(all="ignore"):
            data[...] = numpy.full(data.shape, random.choice(values)).astype(data.dtype)
    elif data.size:
        for _ in range(random.choice((1, 3, 20))):
            with numpy.errstate(all="ignore"):
                data[any_index(data, random) if data.shape else ()] = numpy.array(random.choice(values)).astype(data.dtype)


def hostile_text(file, random):
    data = file[random.choice([n for n in datasets_of(file) if is_text(file[n])])]
    if data.size:
        data[any_index(data, random) if data.shape else ()] = without_zero(random.choice(TEXTS))


def without_zero(text):
    return text if isinstance(text, bytes) else text.replace("\0", "")


def leaves(value, place=()):
    if isinstance(value, (dict, list)):
        yield place
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(member, (*place, key))
    else:
        yield place


def other_json_value(random):
    return random.choice((None, True, [], {}, [[]], "", "x" * 300, "\u001b[2J", "../..", -1, 0, 10**15, 10**18, -10**18,
                          1e308, 5e-324, 0.5, 1, 2, 3, list(range(2000)), {"a": {"b": 1}}))


def changed_settings(file, random):
    data = file[random.choice(("settings/resolved", "settings/resolved", "settings/effective", "settings/requested",
                               "environment"))]
    if random.random() < 0.2:
        data[()] = without_zero(random.choice(JSON_TEXTS))
        return
    root = json.loads(data[()])
    for _ in range(random.choice((1, 1, 3))):
        *place, last = random.choice([place for place in leaves(root) if place] or [("new",)])
        holder = root
        for key in place:
            holder = holder[key]
        if random.random() < 0.15 and isinstance(holder, dict):
            holder.pop(last, None)
        else:
            holder[last] = other_json_value(random)
    data[()] = json.dumps(root)


def other_shape(file, random):
    name = random.choice(datasets_of(file))
    shape = random.choice(((), (0,), (1,), (10**15,), (0, 0), (0, 5), (1, 0), (10**15, 0), (3, 1), (2, 10**9), (1,) * 5,
                           (10**6, 10**6)))
    # Never filled, such a shape takes no place.
    replace(file, name, shape=shape, dtype=file[name].dtype)


def other_length(file, random):
    name = random.choice([n for n in datasets_of(file) if file[n].shape])
    shape = list(file[name].shape)
    axis = random.randrange(len(shape))
    shape[axis] = random.choice((0, 1, shape[axis] + 1, 2 * shape[axis], 10**5))
    replace(file, name, shape=tuple(shape), dtype=file[name].dtype)


def other_type(file, random):
    name = random.choice(datasets_of(file))
    dtype = random.choice(("i1", "u8", "f4", ">f8", "f2", "c16", "S5", "?", h5py.string_dtype(), h5py.string_dtype(length=9),
                           h5py.vlen_dtype("f8"), h5py.ref_dtype, [("a", "f8"), ("b", "i4")], h5py.enum_dtype({"A": 1})))
    replace(file, name, shape=file[name].shape, dtype=dtype)


def other_storage(file, random):
    name = random.choice([n for n in datasets_of(file) if not is_text(file[n]) and file[n].size])
    values, shape = file[name][...], file[name].shape
    kind = random.choice(("filter", "external", "virtual", "chunks"))
    if kind == "external":
        replace(file, name, shape=shape, dtype="f8", external=[(SECRET, 0, 8 * values.size)])
    elif kind == "virtual":
        del file[name]
        layout = h5py.VirtualLayout(shape=shape or (1,), dtype="f8")
        layout[...] = h5py.VirtualSource(SECRET, "x", shape=shape or (1,))
        file.create_virtual_dataset(name, layout)
    elif shape:
        extra = {"compression": "gzip", "shuffle": True} if kind == "filter" else {}
        replace(file, name, data=values, chunks=tuple(1 for _ in shape) if values.size < 500 else True, **extra)


def hostile_link(file, random):
    name = random.choice(datasets_of(file))
    group = name.rsplit("/", 1)[0] if "/" in name else "/"
    kind = random.choice(("soft", "dangling", "external", "hard", "circle", "root"))
    if kind == "circle":
        file[group + "/circle"] = file[group]
    elif kind == "root":
        file["steps/root"] = file["/"]
    else:
        other = random.choice(datasets_of(file))
        target = {"soft": h5py.SoftLink("/" + other), "dangling": h5py.SoftLink("/nowhere"),
                  "external": h5py.ExternalLink(SECRET, "/"), "hard": file[other]}[kind]
        del file[name]
        file[name] = target


def missing_or_more(file, random):
    kind = random.choice(("dataset", "group", "more", "panels", "type"))
    if kind == "dataset":
        del file[random.choice(datasets_of(file))]
    elif kind == "group":
        del file[random.choice(list(file))]
    elif kind == "panels":
        for i in range(random.choice((3, 400))):
            file.require_group("panels").create_dataset(f"{random.choice(('input', 'mask', 'prediction'))}-{i}",
                                                        shape=random.choice(((1, 1), (0, 3), (5000, 1), (3, 3))), dtype="f4")
    elif kind == "type":
        file["type"] = numpy.dtype("f8")
    else:
        file[random.choice(("extra", "steps/extra", "summary/extra", "panels/extra"))] = random.choice(
            (1.0, "text", numpy.zeros((2, 2)), numpy.arange(5)))


def changed_attribute(file, random):
    holder = random.choice((file, file, file[random.choice(datasets_of(file))]))
    names = [name for name in holder.attrs if name != "run_id"]
    if not names:
        return
    name = random.choice(names)
    del holder.attrs[name]
    if random.random() < 0.75:
        values = [without_zero(text)[:60000] for text in TEXTS] + list(INTEGERS) + list(NUMBERS)
        values += [numpy.zeros(0), ["text"] * 2000, numpy.zeros((3, 3)), h5py.Empty("f8"),
                   "complete", "running", ["resumed", "external"], ["nonfinite_loss"]]
        holder.attrs[name] = random.choice(values)


CHANGES = (extreme_numbers, extreme_numbers, extreme_numbers, hostile_text, changed_settings, changed_settings, other_shape,
           other_length, other_type, other_storage, hostile_link, missing_or_more, changed_attribute)


def overwrite_bytes(path, random):
    with open(path, "r+b") as file:
        size = file.seek(0, 2)
        for _ in range(random.choice((1, 1, 5, 40))):
            file.seek(random.randrange(USER_BLOCK_BYTES, size))
            file.write(bytes((random.choice((0, 1, 127, 128, 255, random.randrange(256))),)))


def forge(source, target, random, run_id):
    """Returns the names of what was changed."""
    shutil.copyfile(source, target)
    if run_id is not None:
        with h5py.File(target, "r+") as file:
            file.attrs["run_id"] = run_id
    if random.random() < 0.2:
        overwrite_bytes(target, random)
        return ["overwrite_bytes"]
    made = []
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        change = random.choice(CHANGES)
        try:
            with h5py.File(target, "r+", libver=("earliest", "v110")) as file:
                change(file, random)
            made.append(change.__name__)
        except (ValueError, TypeError, KeyError, IndexError, OSError, RuntimeError, OverflowError):
            pass  # HDF5 itself does not write this one
    return made if os.path.getsize(target) < MOST_BYTES else forge(source, target, random, run_id)
