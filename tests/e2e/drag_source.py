"""A real drag source: a small window in the corner of the screen that offers the given files as text/uri-list."""
import pathlib
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

uris = [pathlib.Path(path).resolve().as_uri() for path in sys.argv[1:]]
window = Gtk.Window(title="stet-drag-source")
window.set_default_size(120, 120)
window.set_decorated(False)
window.set_keep_above(True)
box = Gtk.EventBox()
box.add(Gtk.Label(label="drag me"))
window.add(box)
box.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
box.drag_source_add_uri_targets()
box.connect("drag-data-get", lambda _widget, _context, data, *_rest: data.set_uris(uris))
box.connect("drag-end", lambda *_: Gtk.main_quit())
window.connect("destroy", Gtk.main_quit)
window.show_all()
window.move(0, 0)
Gtk.main()
