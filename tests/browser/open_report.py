"""Opens a report in headless Chromium at desktop and phone width and checks what a reader would see.

Fails on any console message, a figure that is not visible, a picture that did not load, a page wider
than the screen, or a blank screenshot. Exit: 0 fine, 1 not, 77 no browser (1 where SCALESTUDY_REQUIRE
names browser), 2 usage.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
SCREENS = {"desktop": (1280, 900), "phone": (390, 844)}
SKIPPED = 77

# Runs inside a copy of the report and tells the frame around it what is visible.
PROBE = """
<script>
addEventListener("load", () => {
  const visible = (e) => { const r = e.getBoundingClientRect();
    return r.width > 8 && r.height > 8 && getComputedStyle(e).visibility !== "hidden"; };
  const drawn = (e) => visible(e) && (e.tagName.toLowerCase() !== "img" || e.naturalWidth > 0);
  const closed = (e) => e.closest("details:not([open])") !== null;
  const figures = [...document.querySelectorAll("figure")].filter((e) => !closed(e));
  const pictures = [...document.querySelectorAll("svg, img, canvas")].filter(visible);
  parent.postMessage({
    figures: figures.length,
    figures_hidden: figures.filter((f) => ![...f.querySelectorAll("svg, img, canvas")].some(drawn)).length,
    pictures: pictures.length,
    pictures_broken: pictures.filter((e) => !drawn(e)).length,
    text_length: document.body.innerText.length,
    overflow_px: Math.max(0, document.documentElement.scrollWidth - innerWidth)}, "*");
});
</script>
"""

# Chromium has a minimum window width, a frame has none.
FRAME = """<!doctype html><meta charset="utf-8"><body style="margin:0"><script>
addEventListener("message", (m) => { document.body.dataset.probe =
  Object.entries(m.data).map(([k, v]) => k + "=" + v).join(" "); });
</script><iframe src="copy.html" style="border:0;width:%dpx;height:%dpx"></iframe></body>"""


def find_browser():
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


def start_browser(browser, folder, size, *options):
    """(standard output, messages of the page's console)"""
    width, height = size
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--enable-logging=stderr", "--v=0", "--no-first-run",
         f"--user-data-dir={folder}/profile", "--virtual-time-budget=4000",
         f"--window-size={max(width, 600)},{height}", *options, (folder / "frame.html").as_uri()],
        capture_output=True, text=True, timeout=120, check=False)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, console


def read_probe(dom):
    found = re.search(r'data-probe="([^"]*)"', dom)
    return {k: int(v) for k, v in (part.split("=") for part in found[1].split())} if found else None


def complaints_about_page(probe, console):
    if probe is None:
        return ["the page did not finish loading"] + console
    complaints = [f"console message: {line}" for line in console]
    if probe["figures"] == 0:
        complaints.append("no <figure> in the page")
    if probe["text_length"] < 200:
        complaints.append(f"hardly any text ({probe['text_length']} characters)")
    for key, what in [("figures_hidden", "figures show no picture"),
                      ("pictures_broken", "pictures did not load"),
                      ("overflow_px", "px wider than the screen")]:
        if probe[key] > 1 or (probe[key] and key != "overflow_px"):
            complaints.append(f"{probe[key]} {what}")
    return complaints


def read_png(path):
    """(width, rows of bytes, bytes per pixel) of an 8-bit PNG that is not interlaced."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG"
    position, packed = 8, b""
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position:position + 8])
        body = data[position + 8:position + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
        if kind == b"IDAT":
            packed += body
        position += 12 + length
    assert depth == 8 and not interlaced, "an unexpected kind of PNG"
    pixel = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    return width, unfilter(zlib.decompress(packed), width * pixel, height, pixel), pixel


def unfilter(raw, stride, height, pixel):
    """Undoes the five row filters of PNG (specification, section 9)."""
    rows, above = [], bytearray(stride)
    for y in range(height):
        start = y * (stride + 1)
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride) if kind else ():
            left = row[i - pixel] if i >= pixel else 0
            corner = above[i - pixel] if i >= pixel else 0
            row[i] = (row[i] + predict(kind, left, above[i], corner)) & 255
        rows.append(row)
        above = row
    return rows


def predict(kind, left, up, corner):
    if kind == 1:
        return left
    if kind == 2:
        return up
    if kind == 3:
        return (left + up) // 2
    estimate = left + up - corner
    return min((left, up, corner), key=lambda value: abs(estimate - value))


def complaints_about_screenshot(path, visible_width):
    if not path.exists():
        return ["no screenshot was made"]
    width, rows, pixel = read_png(path)
    colours = collections.Counter(
        bytes(row[x * pixel:(x + 1) * pixel]) for row in rows[::3]
        for x in range(0, min(width, visible_width), 3))
    share = colours.most_common(1)[0][1] / sum(colours.values())
    if len(colours) < 8 or share > 0.995:
        return [f"the screenshot is blank ({len(colours)} colours, {share:.1%} of one)"]
    return []


def check_screen(browser, report, name, screenshots):
    size = SCREENS[name]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        text = report.read_text(encoding="utf-8")
        (folder / "copy.html").write_text(text + PROBE, encoding="utf-8")
        (folder / "frame.html").write_text(FRAME % size, encoding="utf-8")
        dom, console = start_browser(browser, folder, size, "--dump-dom")
        probe = read_probe(dom)
        picture = folder / f"report-{name}.png"
        start_browser(browser, folder, size, f"--screenshot={picture}")
        complaints = complaints_about_page(probe, console)
        if 'name="viewport"' not in text:
            complaints.append('no <meta name="viewport">: phones would show a tiny desktop page')
        complaints += complaints_about_screenshot(picture, size[0])
        if screenshots and picture.exists():
            screenshots.mkdir(parents=True, exist_ok=True)
            shutil.copy(picture, screenshots)
    print(f"{name} {size[0]}x{size[1]}: {probe}")
    return [f"{name}: {complaint}" for complaint in complaints]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path, help="keep the screenshots here")
    arguments = parser.parse_args()
    if not arguments.report.is_file():
        parser.error(f"{arguments.report} is not a file")
    browser = find_browser()
    if not browser:
        print("no Chromium found. Install it with environments/setup.sh --checks", file=sys.stderr)
        return 1 if "browser" in os.environ.get("SCALESTUDY_REQUIRE", "").split(",") else SKIPPED
    complaints = [text for name in SCREENS
                  for text in check_screen(browser, arguments.report, name, arguments.screenshots)]
    print("\n".join(complaints) if complaints else "the report opens and shows its figures")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
