"""Makes every icon from icon.svg: `python3 icons/make.py`. Needs chromium-headless-shell (or CHROMIUM=path) for the drawing.

The .ico and .icns containers hold PNG pictures, which Windows Vista and macOS 10.7 and later read.
"""
import os
import pathlib
import struct
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
CHROMIUM = os.environ.get("CHROMIUM", "chromium-headless-shell")


def draw(size: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        svg = (HERE / "icon.svg").read_text()
        page = pathlib.Path(folder, "icon.html")
        page.write_text(f"<style>*{{margin:0}}svg{{width:{size}px;height:{size}px;display:block}}</style>{svg}")
        picture = pathlib.Path(folder, "icon.png")
        subprocess.run(
            [CHROMIUM, "--no-sandbox", "--hide-scrollbars", "--default-background-color=00000000", f"--window-size={size},{size}",
             f"--screenshot={picture}", page.as_uri()], check=True, capture_output=True)
        return picture.read_bytes()


def ico(pictures: dict[int, bytes]) -> bytes:
    head, offset, body = struct.pack("<HHH", 0, 1, len(pictures)), 6 + 16 * len(pictures), b""
    for size, data in pictures.items():
        head += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(data), offset + len(body))
        body += data
    return head + body


def icns(pictures: dict[bytes, bytes]) -> bytes:
    body = b"".join(kind + struct.pack(">I", len(data) + 8) + data for kind, data in pictures.items())
    return b"icns" + struct.pack(">I", len(body) + 8) + body


def main() -> None:
    sizes = {size: draw(size) for size in (16, 32, 48, 64, 128, 256, 512)}
    (HERE / "32x32.png").write_bytes(sizes[32])
    (HERE / "128x128.png").write_bytes(sizes[128])
    (HERE / "128x128@2x.png").write_bytes(sizes[256])
    (HERE / "icon.png").write_bytes(sizes[512])
    (HERE / "icon.ico").write_bytes(ico({size: sizes[size] for size in (16, 32, 48, 64, 128, 256)}))
    (HERE / "icon.icns").write_bytes(icns({b"icp4": sizes[16], b"icp5": sizes[32], b"ic07": sizes[128], b"ic08": sizes[256], b"ic09": sizes[512]}))


if __name__ == "__main__":
    main()
