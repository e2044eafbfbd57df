"""Reads pairs of decks with python-pptx: does the second differ from the first by exactly what one operation asks for?

Usage: decks.py CASES.json, a list of {"name", "before", "after", "op"}. Prints one JSON object: how many cases were read, which
decks python-pptx does not read (then neither must Stet's), and what differs that should not.
"""

import copy
import json
import sys

from pptx import Presentation
from pptx.util import Emu


def texts(shapes):
    """Every text of the shapes, with the shape's id: text frames, table cells, groups opened."""
    found = []
    for shape in shapes:
        if shape.shape_type is not None and hasattr(shape, "shapes"):
            found += texts(shape.shapes)
        elif getattr(shape, "has_table", False) and shape.has_table:
            for r, row in enumerate(shape.table.rows):
                for c, cell in enumerate(row.cells):
                    found.append([shape.shape_id, f"r{r + 1}.c{c + 1}", cell.text_frame.text])
        elif shape.has_text_frame:
            found.append([shape.shape_id, "", shape.text_frame.text])
        else:
            found.append([shape.shape_id, shape.name, None])
    return found


def read(path):
    deck = Presentation(path)
    slides = []
    for slide in deck.slides:
        notes = None
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            notes = slide.notes_slide.notes_text_frame.text
        title = slide.shapes.title
        slides.append({
            "id": slide.slide_id,
            "layout": slide.slide_layout.name,
            "hidden": slide._element.get("show") in ("0", "false"),
            "title": title.shape_id if title is not None else None,
            "shapes": texts(slide.shapes),
            "notes": notes,
            "pictures": sum(1 for rel in slide.part.rels.values() if rel.reltype.endswith("/image")),
        })
    size = (Emu(deck.slide_width or 0), Emu(deck.slide_height or 0))
    return {"slides": slides, "size": size, "layouts": [layout.name for layout in deck.slide_layouts]}


def set_text(slide, shape, text, cell=""):
    for entry in slide["shapes"]:
        if entry[0] == shape and entry[1] == cell:
            entry[2] = text


def expected(before, op, after):
    """What the deck should be after the operation. New ids, and the shapes of a new slide, are taken from what is there."""
    model = copy.deepcopy(before)
    slides = model["slides"]
    word, at = op["op"], op.get("slide", 0) - 1
    if word == "pptx_set_text":
        set_text(slides[at], op["shape"], op["text"])
    elif word == "pptx_set_title":
        set_text(slides[at], slides[at]["title"], op["text"])
    elif word == "pptx_set_table_cell":
        set_text(slides[at], op["shape"], op["text"], f"r{op['row']}.c{op['col']}")
    elif word == "pptx_set_notes":
        slides[at]["notes"] = op["text"]
    elif word == "pptx_hide_slide":
        slides[at]["hidden"] = op["hidden"]
    elif word == "pptx_move_slide":
        slides.insert(op["to"] - 1, slides.pop(at))
    elif word == "pptx_delete_slide":
        slides.pop(at)
    elif word == "pptx_duplicate_slide":
        new = copy.deepcopy(slides[at])
        new["id"] = fresh(before, after, at + 1)
        slides.insert(at + 1, new)
    elif word == "pptx_append_slide":
        if len(after["slides"]) == len(slides) + 1:
            new = copy.deepcopy(after["slides"][-1])
            shown = [entry[2] for entry in new["shapes"]]
            if op.get("title") and op["title"] not in shown:
                raise ValueError(f"the title of the new slide is not there: {shown}")
            fresh(before, after, len(slides))
            slides.append(new)
    else:
        raise ValueError(word)
    return model


def fresh(before, after, place):
    """The id of a new slide, which no slide had."""
    new = after["slides"][place]["id"]
    if new in [slide["id"] for slide in before["slides"]]:
        raise ValueError(f"the slide id {new} is there twice")
    return new


def difference(wanted, found):
    if wanted == found:
        return None
    if len(wanted["slides"]) != len(found["slides"]):
        return f"{len(found['slides'])} slides instead of {len(wanted['slides'])}"
    for number, (one, other) in enumerate(zip(wanted["slides"], found["slides"]), 1):
        for key in one:
            if one[key] != other[key]:
                return f"slide {number}, {key}: {other[key]!r} instead of {one[key]!r}"
    return "size or layouts"


def main():
    cases = json.load(open(sys.argv[1], encoding="utf-8"))
    unread, faults, read_cases, known = {}, [], 0, {}
    for case in cases:
        before = case["before"]
        if before not in known:
            try:
                known[before] = read(before)
            except Exception as error:  # Whatever it cannot read, it cannot judge.
                known[before] = None
                unread[case["name"]] = f"{type(error).__name__}: {error}"
        if known[before] is None:
            continue
        read_cases += 1
        try:
            after = read(case["after"])
            fault = difference(expected(known[before], case["op"], after), after)
        except Exception as error:
            fault = f"{type(error).__name__}: {error}"
        if fault is not None:
            faults.append(f"{case['name']} {json.dumps(case['op'])}: {fault}")
    print(json.dumps({"read": read_cases, "unread": unread, "faults": faults}))


if __name__ == "__main__":
    main()
