//! Which faces a deck is drawn with: those it names when the system has them, their metric twins, and faces for scripts that the
//! named ones do not cover.

use std::{collections::HashSet, sync::OnceLock};

use fontdb::{Database, Family, Query, Stretch, Style, Weight};
use pptx_render::SlideRenderer;

use super::faces;

/// Families with the same widths, for documents whose own families the system lacks.
const TWINS: &[(&str, &[&str])] = &[
    ("calibri", &["Carlito"]),
    ("calibri light", &["Carlito"]),
    ("cambria", &["Caladea"]),
    ("arial", &["Liberation Sans", "Arimo", "Helvetica"]),
    ("helvetica", &["Liberation Sans", "Arimo", "Arial"]),
    ("times new roman", &["Liberation Serif", "Tinos", "Times"]),
    ("courier new", &["Liberation Mono", "Cousine", "Courier"]),
    ("aptos", &["Carlito", "Noto Sans"]),
    ("segoe ui", &["Noto Sans", "Open Sans"]),
    ("微软雅黑", &["Microsoft YaHei", "Noto Sans CJK SC"]),
    ("宋体", &["SimSun", "Noto Serif CJK SC", "Noto Sans CJK SC"]),
    ("黑体", &["SimHei", "Noto Sans CJK SC"]),
    ("等线", &["DengXian", "Noto Sans CJK SC"]),
];

/// For every family that nobody knows; the first one found is the last resort.
const PLAIN: &[&str] = &[
    "Carlito",
    "Noto Sans",
    "Liberation Sans",
    "DejaVu Sans",
    "Segoe UI",
    "Arial",
    "Helvetica",
    "Open Sans",
];

/// A script, by a few ranges of its characters, and the families that cover it.
struct Script {
    name: &'static str,
    ranges: &'static [(char, char)],
    families: &'static [&'static str],
}

const SCRIPTS: &[Script] = &[
    Script {
        name: "han",
        ranges: &[
            ('\u{2E80}', '\u{303F}'),
            ('\u{3400}', '\u{9FFF}'),
            ('\u{F900}', '\u{FAFF}'),
            ('\u{FF00}', '\u{FFEF}'),
        ],
        families: &[
            "Noto Sans CJK SC",
            "Source Han Sans SC",
            "Microsoft YaHei",
            "PingFang SC",
            "WenQuanYi Micro Hei",
            "SimSun",
        ],
    },
    Script {
        name: "kana",
        ranges: &[('\u{3040}', '\u{30FF}')],
        families: &["Noto Sans CJK JP", "Yu Gothic", "Hiragino Sans", "MS Gothic"],
    },
    Script {
        name: "hangul",
        ranges: &[('\u{1100}', '\u{11FF}'), ('\u{AC00}', '\u{D7AF}')],
        families: &["Noto Sans CJK KR", "Malgun Gothic", "Apple SD Gothic Neo"],
    },
    Script {
        name: "arabic",
        ranges: &[('\u{0600}', '\u{06FF}'), ('\u{FB50}', '\u{FDFF}')],
        families: &["Noto Sans Arabic", "Noto Naskh Arabic", "DejaVu Sans", "Segoe UI", "Arial"],
    },
    Script {
        name: "hebrew",
        ranges: &[('\u{0590}', '\u{05FF}')],
        families: &["Noto Sans Hebrew", "DejaVu Sans", "Segoe UI", "Arial"],
    },
    Script {
        name: "devanagari",
        ranges: &[('\u{0900}', '\u{097F}')],
        families: &["Noto Sans Devanagari", "Nirmala UI", "Kohinoor Devanagari"],
    },
    Script {
        name: "thai",
        ranges: &[('\u{0E00}', '\u{0E7F}')],
        families: &["Noto Sans Thai", "Leelawadee UI", "Thonburi"],
    },
    Script {
        name: "symbols",
        ranges: &[('\u{2190}', '\u{2BFF}'), ('\u{F000}', '\u{F0FF}')],
        families: &[
            "DejaVu Sans",
            "Noto Sans Symbols",
            "Noto Sans Symbols2",
            "Segoe UI Symbol",
            "Apple Symbols",
        ],
    },
];

/// What a deck has asked for so far.
#[derive(Default)]
pub(super) struct Wanted {
    families: HashSet<String>,
    scripts: HashSet<&'static str>,
}

impl Wanted {
    /// Registers the last resort.
    pub(super) fn begin(renderer: &mut SlideRenderer) -> Wanted {
        let found = PLAIN.iter().find(|family| register(renderer, family, family, false));
        if found.is_none() {
            // Any face at all is better than no text.
            if let Some(any) =
                system().faces().next().and_then(|face| face.families.first().map(|(name, _)| name.clone()))
            {
                register(renderer, &any, &any, false);
            }
        }
        Wanted::default()
    }

    /// Registers what a slide wants and was not asked for before; whether anything came.
    pub(super) fn provide(&mut self, renderer: &mut SlideRenderer, families: &[String], text: &str) -> bool {
        let mut came = false;
        for family in families {
            if self.families.insert(family.to_lowercase()) {
                came |= provide_family(renderer, family);
            }
        }
        for script in SCRIPTS {
            let occurs = || {
                text.chars().any(|character| {
                    script.ranges.iter().any(|(from, to)| (*from..=*to).contains(&character))
                })
            };
            if !self.scripts.contains(script.name) && occurs() {
                self.scripts.insert(script.name);
                came |= script.families.iter().any(|family| register(renderer, family, family, true));
            }
        }
        came
    }
}

fn provide_family(renderer: &mut SlideRenderer, family: &str) -> bool {
    if register(renderer, family, family, false) {
        return true;
    }
    let lower = family.to_lowercase();
    let twins = TWINS.iter().find(|(name, _)| *name == lower).map_or(&[][..], |(_, twins)| twins);
    twins.iter().any(|twin| register(renderer, family, twin, false))
}

/// Registers the four usual faces of a system family under a name; whether there is at least one.
fn register(renderer: &mut SlideRenderer, name: &str, family: &str, only_where_missing: bool) -> bool {
    let mut came = false;
    for (bold, italic) in [(false, false), (true, false), (false, true), (true, true)] {
        let Some(face) = face(family, bold, italic) else { continue };
        let done = if only_where_missing {
            // One face is enough to cover a script; four of a large one would cost the memory of four.
            if came {
                break;
            }
            renderer.register_fallback_font(name, bold, italic, &face)
        } else {
            renderer.register_font(name, bold, italic, &face)
        };
        came |= done.is_ok();
    }
    came
}

fn face(family: &str, bold: bool, italic: bool) -> Option<Vec<u8>> {
    let fonts = system();
    let weight = if bold { Weight::BOLD } else { Weight::NORMAL };
    let style = if italic { Style::Italic } else { Style::Normal };
    let query = Query { families: &[Family::Name(family)], weight, stretch: Stretch::Normal, style };
    let id = fonts.query(&query)?;
    let found = fonts.face(id)?;
    // The database answers the nearest face; the same face under four styles would be four copies of it.
    let is_regular_for_another =
        (bold && found.weight < Weight::SEMIBOLD) || (italic && found.style == Style::Normal);
    if is_regular_for_another {
        return None;
    }
    fonts.with_face_data(id, faces::single)?
}

fn system() -> &'static Database {
    static FONTS: OnceLock<Database> = OnceLock::new();
    FONTS.get_or_init(|| {
        let mut fonts = Database::new();
        fonts.load_system_fonts();
        fonts
    })
}
