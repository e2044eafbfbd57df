//! Part names (ECMA-376-2, 6.2.2) and how an entry's name is matched to one.
//!
//! Real packages hold backslashes, odd case and percent-encoding; names are compared by a ladder and written back as found.

use std::fmt;

/// The name of a part without its leading slash: `word/document.xml`. The empty name stands for the package itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartName(String);

impl PartName {
    /// Takes a name as found in an entry or built by an engine.
    pub fn new(name: &str) -> PartName {
        PartName(name.trim_start_matches(['/', '\\']).to_owned())
    }

    /// The package itself, as the source of its root relationships.
    pub fn root() -> PartName {
        PartName(String::new())
    }

    pub(crate) fn content_types() -> PartName {
        PartName("[Content_Types].xml".into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form in which names are compared at the last rung: slashes, percent-decoded, without case.
    pub(crate) fn canonical(&self) -> String {
        match self.is_canonical() {
            true => self.0.clone(),
            false => percent_decode(&self.0.replace('\\', "/")).to_lowercase(),
        }
    }

    /// Whether both name the same part.
    pub fn same(&self, other: &PartName) -> bool {
        let may_differ_in_form = || !(self.is_canonical() && other.is_canonical());
        self.0 == other.0 || (may_differ_in_form() && self.canonical() == other.canonical())
    }

    /// Whether the name is its own canonical form, as almost all are; other letters than ASCII are not looked at.
    fn is_canonical(&self) -> bool {
        let is_plain =
            |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase() && !matches!(byte, b'\\' | b'%');
        self.0.bytes().all(is_plain)
    }

    /// The folder with its trailing slash, or nothing.
    pub fn folder(&self) -> &str {
        memchr::memrchr2(b'/', b'\\', self.0.as_bytes()).map_or("", |slash| &self.0[..=slash])
    }

    pub fn file_name(&self) -> &str {
        &self.0[self.folder().len()..]
    }

    pub fn extension(&self) -> &str {
        self.file_name().rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    /// Where the relationships of this part lie: `word/_rels/document.xml.rels`.
    pub fn relationships_part(&self) -> PartName {
        PartName(format!("{}_rels/{}.rels", self.folder(), self.file_name()))
    }

    /// The part that a relationships part belongs to; `None` for any other part.
    pub fn relationships_source(&self) -> Option<PartName> {
        let plain = self.0.replace('\\', "/");
        let (folder, file) = plain.rsplit_once('/')?;
        let owner = if folder.eq_ignore_ascii_case("_rels") {
            Some("")
        } else {
            strip_suffix_ignoring_case(folder, "/_rels")
        };
        let source = strip_suffix_ignoring_case(file, ".rels")?;
        owner.map(|owner| {
            if owner.is_empty() { PartName(source.into()) } else { PartName(format!("{owner}/{source}")) }
        })
    }

    /// Resolves a relationship target against this part as the source (RFC 3986, 5.2, on paths); `None` for a bare fragment.
    pub fn resolve(&self, target: &str) -> Option<PartName> {
        let path = target.split(['#', '?']).next().unwrap_or("").replace('\\', "/");
        if path.is_empty() {
            return None;
        }
        let base = if path.starts_with('/') { String::new() } else { self.folder().replace('\\', "/") };
        let mut segments: Vec<&str> = Vec::new();
        for segment in base.split('/').chain(path.split('/')) {
            match segment {
                "" | "." => {}
                ".." => drop(segments.pop()),
                other => segments.push(other),
            }
        }
        Some(PartName(segments.join("/")))
    }

    /// How a relationship of `self` names `target`: relative where they share a first folder, else absolute.
    pub fn relative(&self, target: &PartName) -> String {
        let from: Vec<&str> = self.folder().split('/').filter(|segment| !segment.is_empty()).collect();
        let to: Vec<&str> = target.0.split('/').collect();
        let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count().min(to.len() - 1);
        let up = std::iter::repeat_n("..", from.len() - shared);
        up.chain(to[shared..].iter().copied()).collect::<Vec<_>>().join("/")
    }
}

impl fmt::Display for PartName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn strip_suffix_ignoring_case<'s>(text: &'s str, suffix: &str) -> Option<&'s str> {
    let at = text.len().checked_sub(suffix.len())?;
    text.is_char_boundary(at).then_some(())?;
    text[at..].eq_ignore_ascii_case(suffix).then(|| &text[..at])
}

fn percent_decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escape = match tail {
            [high, low, ..] if *first == b'%' => hex(*high).zip(hex(*low)),
            _ => None,
        };
        match escape {
            Some((high, low)) => {
                decoded.push(high << 4 | low);
                rest = &tail[2..];
            }
            None => {
                decoded.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

fn hex(digit: u8) -> Option<u8> {
    (digit as char).to_digit(16).map(|value| value as u8)
}
