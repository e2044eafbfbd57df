//! What a slide owns and what it shares: ink, 3-D models, OLE, controls, VML, media, theme overrides, tags, custom data; and pointers to it
//! from layouts, SmartArt and section zooms. Deleting takes exactly its own along, a copy has its own again.

use std::collections::BTreeSet;

use serde_json::json;
use stet_tests::decks::{apply, difference, entries, new_faults, outline, part, patched, slides};

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const MICROSOFT: &str = "http://schemas.microsoft.com/office";

fn link(id: &str, kind: &str, target: &str) -> String {
    let kind = if kind.contains("://") { kind.to_owned() } else { format!("{OFFICE}/{kind}") };
    format!("<Relationship Id=\"{id}\" Type=\"{kind}\" Target=\"{target}\"/>")
}

fn links(of: &[String]) -> String {
    format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{}</Relationships>",
        of.concat()
    )
}

/// What slide 2 owns besides what the crafted deck gives it, and what must be gone with it.
const OWNED: [(&str, &str); 10] = [
    ("ppt/ink/ink1.xml", "<inkml:ink xmlns:inkml=\"http://www.w3.org/2003/InkML\"/>"),
    ("ppt/media/model3d1.glb", "glTF model"),
    ("ppt/embeddings/oleObject1.bin", "an old object"),
    ("ppt/drawings/vmlDrawing1.vml", "<xml xmlns:v=\"urn:schemas-microsoft-com:vml\"><v:shape/></xml>"),
    ("ppt/media/image9.emf", "picture of the object"),
    ("ppt/activeX/activeX1.xml", "<ax:ocx xmlns:ax=\"http://schemas.microsoft.com/office/2006/activeX\"/>"),
    ("ppt/activeX/activeX1.bin", "state of the control"),
    (
        "ppt/theme/themeOverride1.xml",
        "<a:themeOverride xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"/>",
    ),
    ("ppt/media/image8.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
    ("ppt/media/media2.wav", "a sound of this slide"),
];

/// The crafted deck with all of this on slide 2, a film that slides 2 and 3 share, and jumps to slide 2 from the master and a layout.
fn loaded() -> Vec<u8> {
    let deck = std::fs::read(stet_tests::fixture("pptx-slide-ops.pptx")).unwrap();
    let own = [
        link("rId60", "customXml", "../ink/ink1.xml"),
        link("rId61", &format!("{MICROSOFT}/2017/06/relationships/model3d"), "../media/model3d1.glb"),
        link("rId62", "oleObject", "../embeddings/oleObject1.bin"),
        link("rId63", "vmlDrawing", "../drawings/vmlDrawing1.vml"),
        link("rId64", "control", "../activeX/activeX1.xml"),
        link("rId65", "themeOverride", "../theme/themeOverride1.xml"),
        link("rId66", "image", "../media/image8.svg"),
        link("rId67", "audio", "../media/media2.wav"),
        link("rId68", "video", "../media/media1.mp4"),
        link("rId69", &format!("{MICROSOFT}/2007/relationships/media"), "../media/media1.mp4"),
        format!(
            "<Relationship Id=\"rId70\" Type=\"{OFFICE}/hyperlink\" Target=\"https://example.org/\" TargetMode=\"External\"/>"
        ),
    ]
    .concat();
    let types = concat!(
        "<Default Extension=\"glb\" ContentType=\"model/gltf.binary\"/><Default Extension=\"vml\" ContentType=\"application/vnd.openxmlformats-officedocument.vmlDrawing\"/>",
        "<Default Extension=\"emf\" ContentType=\"image/x-emf\"/><Default Extension=\"svg\" ContentType=\"image/svg+xml\"/><Default Extension=\"wav\" ContentType=\"audio/wav\"/>",
        "<Default Extension=\"mp4\" ContentType=\"video/mp4\"/>",
        "<Override PartName=\"/ppt/ink/ink1.xml\" ContentType=\"application/inkml+xml\"/>",
        "<Override PartName=\"/ppt/activeX/activeX1.xml\" ContentType=\"application/vnd.ms-office.activeX+xml\"/>",
        "<Override PartName=\"/ppt/activeX/activeX1.bin\" ContentType=\"application/vnd.ms-office.activeX\"/>",
        "<Override PartName=\"/ppt/embeddings/oleObject1.bin\" ContentType=\"application/vnd.openxmlformats-officedocument.oleObject\"/>",
        "<Override PartName=\"/ppt/theme/themeOverride1.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.themeOverride+xml\"/></Types>"
    );
    let vml_links = links(&[link("rId1", "image", "../media/image9.emf")]);
    let control_links = links(&[link(
        "rId1",
        &format!("{MICROSOFT}/2006/relationships/activeXControlBinary"),
        "activeX1.bin",
    )]);
    let film = link("rId68", "video", "../media/media1.mp4") + "</Relationships>";
    let jump = "<p:cNvPr id=\"2\" name=\"Date Placeholder 1\"";
    let jumping =
        format!("{jump}><a:hlinkClick r:id=\"rId50\" action=\"ppaction://hlinksldjump\"/></p:cNvPr>");
    let to_slide = link("rId50", "slide", "../slides/slide2.xml") + "</Relationships>";
    let mut patches: Vec<(&str, &str, &str)> =
        OWNED.iter().map(|(name, content)| (*name, "", *content)).collect();
    let own = own + "</Relationships>";
    let short = format!("{jump}/>");
    patches.extend([
        ("ppt/media/media1.mp4", "", "a film of two slides"),
        ("ppt/drawings/_rels/vmlDrawing1.vml.rels", "", vml_links.as_str()),
        ("ppt/activeX/_rels/activeX1.xml.rels", "", control_links.as_str()),
        ("[Content_Types].xml", "</Types>", types),
        ("ppt/slides/_rels/slide2.xml.rels", "</Relationships>", own.as_str()),
        ("ppt/slides/_rels/slide3.xml.rels", "</Relationships>", film.as_str()),
        ("ppt/slideLayouts/slideLayout7.xml", short.as_str(), jumping.as_str()),
        ("ppt/slideLayouts/_rels/slideLayout7.xml.rels", "</Relationships>", to_slide.as_str()),
    ]);
    patched(&deck, &patches)
}

#[test]
fn deleting_takes_exactly_what_is_owned() {
    let deck = loaded();
    let after = apply(&deck, &json!([{"op": "pptx_delete_slide", "slide": 2}])).unwrap().bytes;
    assert_eq!(new_faults(&deck, &after), Vec::<String>::new());
    let difference = difference(&deck, &after);
    let removed: BTreeSet<String> = difference.removed.into_iter().collect();
    let mut expected: BTreeSet<String> = OWNED.iter().map(|(name, _)| (*name).to_owned()).collect();
    expected.extend(
        [
            "ppt/drawings/_rels/vmlDrawing1.vml.rels",
            "ppt/activeX/_rels/activeX1.xml.rels",
            "ppt/slides/slide2.xml",
            "ppt/slides/_rels/slide2.xml.rels",
            "ppt/notesSlides/notesSlide2.xml",
            "ppt/notesSlides/_rels/notesSlide2.xml.rels",
            "ppt/comments/comment1.xml",
            "ppt/tags/tag1.xml",
        ]
        .map(String::from),
    );
    assert_eq!(removed, expected);
    assert!(!part(&after, "ppt/media/media1.mp4").is_empty(), "the film that slide 3 shows too");
    assert!(!part(&after, "ppt/slideLayouts/slideLayout7.xml").contains("hlinksldjump"));
    assert!(!part(&after, "ppt/slideLayouts/_rels/slideLayout7.xml.rels").contains("slide2.xml"));
    // The film goes with the last slide that shows it.
    let both = apply(&after, &json!([{"op": "pptx_delete_slide", "slide": 2}])).unwrap().bytes;
    assert!(part(&both, "ppt/media/media1.mp4").is_empty());
    assert!(!part(&both, "[Content_Types].xml").contains("/ppt/ink/"));
}

#[test]
fn a_copy_owns_its_own_and_shares_media() {
    let deck = loaded();
    let copied = apply(&deck, &json!([{"op": "pptx_duplicate_slide", "slide": 2}])).unwrap().bytes;
    assert_eq!(new_faults(&deck, &copied), Vec::<String>::new());
    let added: BTreeSet<String> = difference(&deck, &copied).added.into_iter().collect();
    for copy in [
        "ppt/ink/ink2.xml",
        "ppt/embeddings/oleObject2.bin",
        "ppt/drawings/vmlDrawing2.vml",
        "ppt/activeX/activeX2.xml",
        "ppt/activeX/activeX2.bin",
        "ppt/tags/tag2.xml",
    ] {
        assert!(added.contains(copy), "{copy}: {added:?}");
    }
    assert!(!added.iter().any(|name| name.starts_with("ppt/media/")), "{added:?}");
    assert!(part(&copied, "ppt/activeX/_rels/activeX2.xml.rels").contains("activeX2.bin"));
    let links = part(&copied, "ppt/slides/_rels/slide5.xml.rels");
    assert!(links.contains("https://example.org/") && links.contains("media1.mp4"));
    assert_eq!(part(&copied, "ppt/slides/slide5.xml"), part(&copied, "ppt/slides/slide2.xml"));
    let back = apply(&copied, &json!([{"op": "pptx_delete_slide", "slide": 3}])).unwrap().bytes;
    for (old, new) in entries(&deck).iter().zip(entries(&back)) {
        assert_eq!((&old.name, &old.content), (&new.name, &new.content));
    }
}

#[test]
fn a_jump_in_a_smartart_graphic_goes_with_its_slide() {
    let Some(shared) = stet_tests::shared() else { return };
    let deck = std::fs::read(shared.join("corpus/pptx/60810.pptx")).unwrap();
    let names: Vec<String> = entries(&deck).into_iter().map(|entry| entry.name).collect();
    let data = names.iter().find(|name| name.starts_with("ppt/diagrams/data")).unwrap();
    let file = data.rsplit('/').next().unwrap();
    let target = names.iter().rfind(|name| name.starts_with("ppt/slides/slide")).unwrap();
    let to_slide = links(&[link("rId950", "slide", &format!("../{}", &target["ppt/".len()..]))]);
    let text = part(&deck, data);
    let at = text.find("<a:rPr").unwrap();
    let tag = &text[at..at + text[at..].find('>').unwrap() + 1];
    let name = format!("ppt/diagrams/_rels/{file}.rels");
    if names.contains(&name) || tag.ends_with("/>") {
        let open = tag.trim_end_matches("/>").to_owned();
        let jumping = format!(
            "{open}><a:hlinkClick r:id=\"rId950\" xmlns:r=\"{OFFICE}\" action=\"ppaction://hlinksldjump\"/></a:rPr>"
        );
        let old = part(&deck, &name);
        let merged = old.replace(
            "</Relationships>",
            &(link("rId950", "slide", &format!("../{}", &target["ppt/".len()..])) + "</Relationships>"),
        );
        let deck = match old.is_empty() {
            true => patched(&deck, &[(data, tag, &jumping), (&name, "", &to_slide)]),
            false => patched(&deck, &[(data, tag, &jumping), (&name, &old, &merged)]),
        };
        let number = outline(&deck).unwrap().nodes.into_iter().filter(|node| node.kind == "slide").count();
        let mut found = false;
        for slide in 1..=number {
            let Ok(after) = apply(&deck, &json!([{"op": "pptx_delete_slide", "slide": slide}])) else {
                continue;
            };
            if part(&after.bytes, target).is_empty() {
                found = true;
                assert!(
                    !part(&after.bytes, data).contains("rId950")
                        && !part(&after.bytes, &name).contains("rId950")
                );
                assert_eq!(new_faults(&deck, &after.bytes), Vec::<String>::new());
            }
        }
        assert!(found, "{target} was deleted by no number");
    }
}

/// A section or summary zoom of a section that loses its last slide would show nothing.
#[test]
fn a_section_zoom_that_would_be_left_empty_is_warned() {
    let deck = std::fs::read(stet_tests::fixture("pptx-slide-ops.pptx")).unwrap();
    let presentation = part(&deck, "ppt/presentation.xml");
    let start = presentation.find("<p14:section ").unwrap();
    let id = &presentation[start + presentation[start..].find("id=\"").unwrap() + 4..][..38];
    let zoom = format!(
        "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"60\" name=\"Zoom\"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x=\"0\" y=\"0\"/>\
         <a:ext cx=\"9\" cy=\"9\"/></p:xfrm><a:graphic><a:graphicData uri=\"http://schemas.microsoft.com/office/powerpoint/2016/sectionzoom\">\
         <psez:sectionZm xmlns:psez=\"http://schemas.microsoft.com/office/powerpoint/2016/sectionzoom\"><psez:sectionZmObj sectionId=\"{id}\"/></psez:sectionZm>\
         </a:graphicData></a:graphic></p:graphicFrame></p:spTree>"
    );
    let deck = patched(&deck, &[("ppt/slides/slide4.xml", "</p:spTree>", &zoom)]);
    let sections: Vec<String> = outline(&deck)
        .unwrap()
        .nodes
        .iter()
        .filter(|node| node.kind == "slide")
        .map(|node| node.more["section"].as_str().unwrap().to_owned())
        .collect();
    let of_first = sections.iter().filter(|section| **section == sections[0]).count();
    let some: Vec<_> =
        (1..of_first).map(|slide| json!({"op": "pptx_delete_slide", "slide": slide})).collect();
    let after = apply(&deck, &json!(some)).unwrap();
    assert!(after.warnings.iter().all(|warning| warning.code != "zoom_of_empty_section"));
    let all: Vec<_> =
        (1..=of_first).map(|slide| json!({"op": "pptx_delete_slide", "slide": slide})).collect();
    let after = apply(&deck, &json!(all)).unwrap();
    assert!(
        after.warnings.iter().any(|warning| warning.code == "zoom_of_empty_section"),
        "{:?}",
        after.warnings
    );
}

#[test]
fn the_last_slide_can_go_and_another_come() {
    let deck = std::fs::read(stet_tests::fixture("pptx-slide-ops.pptx")).unwrap();
    let all: Vec<_> = (1..=4).map(|slide| json!({"op": "pptx_delete_slide", "slide": slide})).collect();
    let empty = apply(&deck, &json!(all)).unwrap().bytes;
    assert_eq!(new_faults(&deck, &empty), Vec::<String>::new());
    assert!(slides(&empty).is_empty());
    let again =
        apply(&empty, &json!([{"op": "pptx_append_slide", "title": "New", "notes": "n"}])).unwrap().bytes;
    assert_eq!(new_faults(&deck, &again), Vec::<String>::new());
    assert_eq!(slides(&again), ["New"]);
}
