//! The parts of a new, empty deck: one master, five layouts, one theme. Written for this product, after the schemas of ECMA-376-1.

/// Namespaces of every part with shapes.
const SPACES: &str = "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\"";
const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n";
const TREE: &str = "<p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"0\" cy=\"0\"/><a:chOff x=\"0\" y=\"0\"/><a:chExt cx=\"0\" cy=\"0\"/></a:xfrm></p:grpSpPr>";

/// The presentation part, 16:9, with the relationship of its master.
pub(super) fn presentation(master: &str) -> String {
    format!(
        "{HEAD}<p:presentation {SPACES}><p:sldMasterIdLst><p:sldMasterId id=\"2147483648\" r:id=\"{master}\"/></p:sldMasterIdLst>\
         <p:sldSz cx=\"12192000\" cy=\"6858000\"/><p:notesSz cx=\"6858000\" cy=\"9144000\"/></p:presentation>"
    )
}

/// A layout's `(type, name, placeholders)`.
pub(super) const LAYOUTS: [(&str, &str, &[Frame]); 5] = [
    (
        "title",
        "Title Slide",
        &[
            Frame {
                kind: "ctrTitle",
                index: 0,
                name: "Title",
                at: [1_524_000, 1_122_363, 9_144_000, 2_387_600],
            },
            Frame {
                kind: "subTitle",
                index: 1,
                name: "Subtitle",
                at: [1_524_000, 3_602_038, 9_144_000, 1_655_762],
            },
        ],
    ),
    (
        "obj",
        "Title and Content",
        &[TITLE, Frame { kind: "", index: 1, name: "Content Placeholder", at: [0; 4] }],
    ),
    (
        "secHead",
        "Section Header",
        &[
            Frame { kind: "title", index: 0, name: "Title", at: [831_850, 1_709_738, 10_515_600, 2_852_737] },
            Frame {
                kind: "body",
                index: 1,
                name: "Text Placeholder",
                at: [831_850, 4_589_463, 10_515_600, 1_500_187],
            },
        ],
    ),
    ("titleOnly", "Title Only", &[TITLE]),
    ("blank", "Blank", &[]),
];

const TITLE: Frame = Frame { kind: "title", index: 0, name: "Title", at: [0; 4] };

/// A placeholder; a place of zeros is the master's.
pub(super) struct Frame {
    kind: &'static str,
    index: u32,
    name: &'static str,
    at: [u32; 4],
}

fn placeholder(id: usize, frame: &Frame) -> String {
    let kind = if frame.kind.is_empty() { String::new() } else { format!(" type=\"{}\"", frame.kind) };
    let index = if frame.index == 0 { String::new() } else { format!(" idx=\"{}\"", frame.index) };
    let [x, y, width, height] = frame.at;
    let place = match width {
        0 => "<p:spPr/>".to_owned(),
        _ => format!(
            "<p:spPr><a:xfrm><a:off x=\"{x}\" y=\"{y}\"/><a:ext cx=\"{width}\" cy=\"{height}\"/></a:xfrm></p:spPr>"
        ),
    };
    format!(
        "<p:sp><p:nvSpPr><p:cNvPr id=\"{id}\" name=\"{} {}\"/><p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr><p:nvPr><p:ph{kind}{index}/></p:nvPr></p:nvSpPr>{place}\
         <p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr lang=\"en-US\"/><a:t>Click to edit</a:t></a:r></a:p></p:txBody></p:sp>",
        frame.name,
        id - 1
    )
}

/// A layout part.
pub(super) fn layout(kind: &str, name: &str, frames: &[Frame]) -> String {
    let shapes: String =
        frames.iter().enumerate().map(|(index, frame)| placeholder(index + 2, frame)).collect();
    format!(
        "{HEAD}<p:sldLayout {SPACES} type=\"{kind}\" preserve=\"1\"><p:cSld name=\"{name}\"><p:spTree>{TREE}{shapes}</p:spTree></p:cSld>\
         <p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>"
    )
}

/// The master part, with the relationships of its layouts.
pub(super) fn master(layouts: &[String]) -> String {
    let frames = [
        Frame {
            kind: "title",
            index: 0,
            name: "Title Placeholder",
            at: [838_200, 365_125, 10_515_600, 1_325_563],
        },
        Frame {
            kind: "body",
            index: 1,
            name: "Text Placeholder",
            at: [838_200, 1_825_625, 10_515_600, 4_351_338],
        },
    ];
    let shapes: String =
        frames.iter().enumerate().map(|(index, frame)| placeholder(index + 2, frame)).collect();
    let list: String = layouts
        .iter()
        .enumerate()
        .map(|(index, id)| {
            format!("<p:sldLayoutId id=\"{}\" r:id=\"{id}\"/>", 2_147_483_649_u32 + index as u32)
        })
        .collect();
    let style = |level: usize, left: usize, indent: &str, size: u32, bullet: &str, font: &str| {
        format!(
            "<a:lvl{level}pPr marL=\"{left}\" {indent}algn=\"l\" defTabSz=\"914400\" rtl=\"0\" eaLnBrk=\"1\" latinLnBrk=\"0\" hangingPunct=\"1\"><a:spcBef><a:spcPts val=\"500\"/></a:spcBef>{bullet}\
             <a:defRPr sz=\"{size}\" kern=\"1200\"><a:solidFill><a:schemeClr val=\"tx1\"/></a:solidFill><a:latin typeface=\"+{font}-lt\"/><a:ea typeface=\"+{font}-ea\"/><a:cs typeface=\"+{font}-cs\"/></a:defRPr></a:lvl{level}pPr>"
        )
    };
    let bullet = "<a:buFont typeface=\"Arial\"/><a:buChar char=\"&#8226;\"/>";
    let body: String = (1..=9)
        .map(|level| {
            let size = [2_800, 2_400, 2_000].get(level - 1).copied().unwrap_or(1_800);
            style(level, 228_600 + (level - 1) * 457_200, "indent=\"-228600\" ", size, bullet, "mn")
        })
        .collect();
    let other: String =
        (1..=9).map(|level| style(level, (level - 1) * 457_200, "", 1_800, "", "mn")).collect();
    let title = style(1, 0, "", 4_400, "<a:buNone/>", "mj");
    format!(
        "{HEAD}<p:sldMaster {SPACES}><p:cSld><p:bg><p:bgRef idx=\"1001\"><a:schemeClr val=\"bg1\"/></p:bgRef></p:bg><p:spTree>{TREE}{shapes}</p:spTree></p:cSld>\
         <p:clrMap bg1=\"lt1\" tx1=\"dk1\" bg2=\"lt2\" tx2=\"dk2\" accent1=\"accent1\" accent2=\"accent2\" accent3=\"accent3\" accent4=\"accent4\" accent5=\"accent5\" accent6=\"accent6\" hlink=\"hlink\" folHlink=\"folHlink\"/>\
         <p:sldLayoutIdLst>{list}</p:sldLayoutIdLst><p:txStyles><p:titleStyle>{title}</p:titleStyle><p:bodyStyle>{body}</p:bodyStyle><p:otherStyle>{other}</p:otherStyle></p:txStyles></p:sldMaster>"
    )
}

/// The theme part.
pub(super) fn theme() -> String {
    let colors = [
        ("dk1", "1F1F1F"),
        ("lt1", "FFFFFF"),
        ("dk2", "24364B"),
        ("lt2", "EEF1F4"),
        ("accent1", "2F6DB5"),
        ("accent2", "D9772B"),
        ("accent3", "6E8B3D"),
        ("accent4", "8A5AA8"),
        ("accent5", "2E9C93"),
        ("accent6", "B8433C"),
        ("hlink", "1F5FBF"),
        ("folHlink", "7A4E96"),
    ];
    let colors: String = colors
        .iter()
        .map(|(name, value)| format!("<a:{name}><a:srgbClr val=\"{value}\"/></a:{name}>"))
        .collect();
    let font = |which: &str| {
        format!(
            "<a:{which}Font><a:latin typeface=\"Calibri\"/><a:ea typeface=\"\"/><a:cs typeface=\"\"/></a:{which}Font>"
        )
    };
    let fill = "<a:solidFill><a:schemeClr val=\"phClr\"/></a:solidFill>";
    let line = format!(
        "<a:ln w=\"9525\" cap=\"flat\" cmpd=\"sng\" algn=\"ctr\">{fill}<a:prstDash val=\"solid\"/></a:ln>"
    );
    let effect = "<a:effectStyle><a:effectLst/></a:effectStyle>";
    format!(
        "{HEAD}<a:theme xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" name=\"Plain\"><a:themeElements><a:clrScheme name=\"Plain\">{colors}</a:clrScheme>\
         <a:fontScheme name=\"Plain\">{}{}</a:fontScheme><a:fmtScheme name=\"Plain\"><a:fillStyleLst>{fill}{fill}{fill}</a:fillStyleLst><a:lnStyleLst>{line}{line}{line}</a:lnStyleLst>\
         <a:effectStyleLst>{effect}{effect}{effect}</a:effectStyleLst><a:bgFillStyleLst>{fill}{fill}{fill}</a:bgFillStyleLst></a:fmtScheme></a:themeElements></a:theme>",
        font("major"),
        font("minor")
    )
}

/// The bytes of a package that holds nothing but its content types: one stored entry (APPNOTE 4.3).
pub(super) fn empty_package() -> Vec<u8> {
    const NAME: &[u8] = b"[Content_Types].xml";
    let types = format!(
        "{HEAD}<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>"
    );
    let content = types.as_bytes();
    let size = (content.len() as u32).to_le_bytes();
    let mut shared = Vec::new();
    // Version 20, no flags, stored, the zip epoch; then checksum, sizes and the length of the name.
    for field in [20_u16, 0, 0, 0, 0x0021] {
        shared.extend(field.to_le_bytes());
    }
    shared.extend(crc32fast::hash(content).to_le_bytes());
    shared.extend(size);
    shared.extend(size);
    shared.extend((NAME.len() as u16).to_le_bytes());
    shared.extend(0_u16.to_le_bytes());
    let mut package = b"PK\x03\x04".to_vec();
    package.extend(&shared);
    package.extend(NAME);
    package.extend(content);
    let directory = package.len() as u32;
    package.extend(b"PK\x01\x02");
    package.extend(20_u16.to_le_bytes());
    package.extend(&shared);
    package.extend([0; 14]);
    package.extend(NAME);
    let length = package.len() as u32 - directory;
    package.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    package.extend(length.to_le_bytes());
    package.extend(directory.to_le_bytes());
    package.extend([0; 2]);
    package
}
