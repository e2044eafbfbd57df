//! The namespaces that the engines ask for, with their Strict twins (ISO/IEC 29500-1 against 29500-4).

/// A namespace by its role; Strict and Transitional forms are one role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ns {
    /// No namespace (most attributes).
    None,
    /// WordprocessingML main, `w`.
    W,
    /// SpreadsheetML main, `x` or default.
    S,
    /// PresentationML main, `p`.
    P,
    /// DrawingML main, `a`.
    A,
    /// Relationship references in documents, `r`.
    R,
    /// Charts, `c`.
    C,
    /// Diagrams, `dgm`.
    Dgm,
    /// Drawings in worksheets, `xdr`.
    Xdr,
    /// Drawings in Word, `wp`.
    Wp,
    /// Math, `m`.
    M,
    /// Markup compatibility, `mc`.
    Mc,
    /// Package relationships.
    PackageRelationships,
    /// Content types.
    ContentTypes,
    /// Extended properties, `docProps/app.xml`.
    ExtendedProperties,
    /// Variant types, `vt`.
    Vt,
    /// Data binding and custom XML properties, `ds`.
    Ds,
    W14,
    W15,
    W16Cid,
    W16Cex,
    /// Word shapes, `wps`.
    Wps,
    /// Word groups, `wpg`.
    Wpg,
    X14,
    X15,
    /// Excel main references in extensions, `xm`.
    Xm,
    /// Threaded comments.
    ThreadedComments,
    /// Excel dynamic arrays, `xda`.
    Xda,
    P14,
    P15,
    /// Diagram drawing cache, `dsp`.
    Dsp,
    A14,
    A16,
    C14,
    C15,
    C16,
    /// Extended charts, `cx`.
    Cx,
    /// VML, `v`.
    V,
    /// VML Office, `o`.
    O,
    /// VML Excel, `x`.
    VmlExcel,
    /// VML Word, `w10`.
    VmlWord,
    Xml,
    /// Any other one.
    Other,
}

const TABLE: &[(Ns, &str)] = &[
    (Ns::W, "http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
    (Ns::W, "http://purl.oclc.org/ooxml/wordprocessingml/main"),
    (Ns::S, "http://schemas.openxmlformats.org/spreadsheetml/2006/main"),
    (Ns::S, "http://purl.oclc.org/ooxml/spreadsheetml/main"),
    (Ns::P, "http://schemas.openxmlformats.org/presentationml/2006/main"),
    (Ns::P, "http://purl.oclc.org/ooxml/presentationml/main"),
    (Ns::A, "http://schemas.openxmlformats.org/drawingml/2006/main"),
    (Ns::A, "http://purl.oclc.org/ooxml/drawingml/main"),
    (Ns::R, "http://schemas.openxmlformats.org/officeDocument/2006/relationships"),
    (Ns::R, "http://purl.oclc.org/ooxml/officeDocument/relationships"),
    (Ns::C, "http://schemas.openxmlformats.org/drawingml/2006/chart"),
    (Ns::C, "http://purl.oclc.org/ooxml/drawingml/chart"),
    (Ns::Dgm, "http://schemas.openxmlformats.org/drawingml/2006/diagram"),
    (Ns::Dgm, "http://purl.oclc.org/ooxml/drawingml/diagram"),
    (Ns::Xdr, "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"),
    (Ns::Xdr, "http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing"),
    (Ns::Wp, "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"),
    (Ns::Wp, "http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing"),
    (Ns::M, "http://schemas.openxmlformats.org/officeDocument/2006/math"),
    (Ns::M, "http://purl.oclc.org/ooxml/officeDocument/math"),
    (Ns::Mc, "http://schemas.openxmlformats.org/markup-compatibility/2006"),
    (Ns::PackageRelationships, "http://schemas.openxmlformats.org/package/2006/relationships"),
    (Ns::ContentTypes, "http://schemas.openxmlformats.org/package/2006/content-types"),
    (Ns::ExtendedProperties, "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"),
    (Ns::ExtendedProperties, "http://purl.oclc.org/ooxml/officeDocument/extendedProperties"),
    (Ns::Vt, "http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes"),
    (Ns::Vt, "http://purl.oclc.org/ooxml/officeDocument/docPropsVTypes"),
    (Ns::Ds, "http://schemas.openxmlformats.org/officeDocument/2006/customXml"),
    (Ns::Ds, "http://purl.oclc.org/ooxml/officeDocument/customXml"),
    (Ns::W14, "http://schemas.microsoft.com/office/word/2010/wordml"),
    (Ns::W15, "http://schemas.microsoft.com/office/word/2012/wordml"),
    (Ns::W16Cid, "http://schemas.microsoft.com/office/word/2016/wordml/cid"),
    (Ns::W16Cex, "http://schemas.microsoft.com/office/word/2018/wordml/cex"),
    (Ns::Wps, "http://schemas.microsoft.com/office/word/2010/wordprocessingShape"),
    (Ns::Wpg, "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup"),
    (Ns::X14, "http://schemas.microsoft.com/office/spreadsheetml/2009/9/main"),
    (Ns::X15, "http://schemas.microsoft.com/office/spreadsheetml/2010/11/main"),
    (Ns::Xm, "http://schemas.microsoft.com/office/excel/2006/main"),
    (Ns::ThreadedComments, "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"),
    (Ns::Xda, "http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray"),
    (Ns::P14, "http://schemas.microsoft.com/office/powerpoint/2010/main"),
    (Ns::P15, "http://schemas.microsoft.com/office/powerpoint/2012/main"),
    (Ns::Dsp, "http://schemas.microsoft.com/office/drawing/2008/diagram"),
    (Ns::A14, "http://schemas.microsoft.com/office/drawing/2010/main"),
    (Ns::A16, "http://schemas.microsoft.com/office/drawing/2014/main"),
    (Ns::C14, "http://schemas.microsoft.com/office/drawing/2007/8/2/chart"),
    (Ns::C15, "http://schemas.microsoft.com/office/drawing/2012/chart"),
    (Ns::C16, "http://schemas.microsoft.com/office/drawing/2014/chart"),
    (Ns::Cx, "http://schemas.microsoft.com/office/drawing/2014/chartex"),
    (Ns::V, "urn:schemas-microsoft-com:vml"),
    (Ns::O, "urn:schemas-microsoft-com:office:office"),
    (Ns::VmlExcel, "urn:schemas-microsoft-com:office:excel"),
    (Ns::VmlWord, "urn:schemas-microsoft-com:office:word"),
    (Ns::Xml, "http://www.w3.org/XML/1998/namespace"),
];

impl Ns {
    /// The role of a namespace name.
    pub fn of(uri: &str) -> Ns {
        match uri {
            "" => Ns::None,
            _ => TABLE.iter().find(|(_, known)| *known == uri).map_or(Ns::Other, |(role, _)| *role),
        }
    }

    /// The Transitional name, or the Strict one where `strict` and there is one.
    pub fn uri(self, strict: bool) -> &'static str {
        let mut names = TABLE.iter().filter(|(role, _)| *role == self).map(|(_, uri)| *uri);
        let transitional = names.next().unwrap_or("");
        if strict { names.next().unwrap_or(transitional) } else { transitional }
    }
}
