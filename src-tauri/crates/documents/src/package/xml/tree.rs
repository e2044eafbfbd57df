//! The index of a part: elements with their byte ranges, parents, children and namespaces. Reading only; changes are splices.

use std::{borrow::Cow, ops::Range};

use super::{
    Ns, Scanner, Splices, TokenKind, XmlError,
    encoding::{self, Encoding},
    escape::unescape,
};
use crate::{EditError, Limits, error::EditErrorKind};

/// An element, text, comment or instruction of one `Xml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    Element,
    Text,
    CData,
    Comment,
    Instruction,
}

#[derive(Debug)]
struct NodeData {
    kind: NodeKind,
    namespace: Ns,
    /// All of it: for an element from `<` of the start tag to `>` of the end tag.
    span: Range<u32>,
    /// The qualified name, for elements.
    name: Range<u32>,
    /// For elements: between the tags; empty at the end of an empty-element tag.
    content: Range<u32>,
    parent: u32,
    first_child: u32,
    last_child: u32,
    next: u32,
    previous: u32,
}

const NONE: u32 = u32::MAX;

/// One attribute with the ranges of its parts in the part's bytes.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute<'x> {
    pub namespace: Ns,
    /// The local name.
    pub name: &'x str,
    /// The unescaped value.
    pub value: Cow<'x, str>,
    /// From the white space before the name to the closing quote: what to delete.
    pub whole: Range<usize>,
    /// Between the quotes: what to replace.
    pub value_span: Range<usize>,
}

/// A parsed part. Positions are byte offsets in `bytes()`, the part's text as UTF-8.
pub struct Xml {
    bytes: Vec<u8>,
    encoding: Encoding,
    nodes: Vec<NodeData>,
    root: NodeId,
    /// `(element, prefix, uri)` of every namespace declaration, in document order.
    declarations: Vec<(u32, String, String)>,
}

impl Xml {
    /// Indexes a part.
    pub fn parse(part: &[u8], limits: &Limits) -> Result<Xml, XmlError> {
        let (text, encoding) = encoding::decode(part)?;
        if text.len() >= NONE as usize {
            return Err(XmlError::TooDeep(0));
        }
        Ok(Builder::new(text.len(), encoding, limits.depth).run(text, None)?.0)
    }

    /// Takes a part only as far as the first child of the root's child that ends at `wish` or later: for reading the beginning of a long
    /// text. The rest is checked and dropped. Tells whether that was all.
    pub fn parse_head(part: &[u8], limits: &Limits, wish: usize) -> Result<(Xml, bool), XmlError> {
        let (text, encoding) = encoding::decode(part)?;
        if text.len() >= NONE as usize {
            return Err(XmlError::TooDeep(0));
        }
        Builder::new(text.len().min(wish), encoding, limits.depth).run(text, Some(wish))
    }

    /// The part's text as UTF-8; a byte-order mark is still there.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The part with splices applied, in its own encoding.
    pub fn write(&self, splices: Splices) -> Result<Vec<u8>, EditError> {
        let text = splices.apply(&self.bytes)?;
        encoding::encode(text, self.encoding)
            .ok_or_else(|| EditError::new(EditErrorKind::Internal, "An edited part is not valid text."))
    }

    pub fn root(&self) -> NodeId {
        self.root
    }

    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.nodes[node.0 as usize].kind
    }

    /// The whole node.
    pub fn span(&self, node: NodeId) -> Range<usize> {
        widen(&self.nodes[node.0 as usize].span)
    }

    /// Between an element's tags.
    pub fn content(&self, element: NodeId) -> Range<usize> {
        widen(&self.nodes[element.0 as usize].content)
    }

    /// An element's start tag.
    pub fn start_tag(&self, element: NodeId) -> Range<usize> {
        let data = &self.nodes[element.0 as usize];
        let end = if self.is_empty_tag(element) { data.span.end } else { data.content.start };
        data.span.start as usize..end as usize
    }

    /// Whether the element is written `<name/>`.
    pub fn is_empty_tag(&self, element: NodeId) -> bool {
        let data = &self.nodes[element.0 as usize];
        data.content.start == data.span.end
    }

    /// The raw text of any range.
    pub fn slice(&self, range: Range<usize>) -> &str {
        std::str::from_utf8(&self.bytes[range]).unwrap_or_default()
    }

    /// The node as it is written.
    pub fn raw(&self, node: NodeId) -> &str {
        self.slice(self.span(node))
    }

    /// The qualified name as written: `w:p`.
    pub fn qualified_name(&self, element: NodeId) -> &str {
        self.slice(widen(&self.nodes[element.0 as usize].name))
    }

    pub fn local_name(&self, element: NodeId) -> &str {
        let name = self.qualified_name(element);
        name.split_once(':').map_or(name, |(_, local)| local)
    }

    /// The prefix as written, with its colon: `w:`, or nothing.
    pub fn prefix(&self, element: NodeId) -> &str {
        let name = self.qualified_name(element);
        &name[..name.find(':').map_or(0, |colon| colon + 1)]
    }

    pub fn namespace(&self, element: NodeId) -> Ns {
        self.nodes[element.0 as usize].namespace
    }

    /// Whether the node is an element of this name.
    pub fn is(&self, node: NodeId, namespace: Ns, local: &str) -> bool {
        self.kind(node) == NodeKind::Element
            && self.namespace(node) == namespace
            && self.local_name(node) == local
    }

    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        link(self.nodes[node.0 as usize].parent)
    }

    pub fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        link(self.nodes[node.0 as usize].next)
    }

    pub fn previous_sibling(&self, node: NodeId) -> Option<NodeId> {
        link(self.nodes[node.0 as usize].previous)
    }

    /// All child nodes in order.
    pub fn child_nodes(&self, element: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(link(self.nodes[element.0 as usize].first_child), |node| {
            self.next_sibling(*node)
        })
    }

    /// The child elements in order.
    pub fn children(&self, element: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.child_nodes(element).filter(|node| self.kind(*node) == NodeKind::Element)
    }

    /// The child elements of one name.
    pub fn children_named<'x>(
        &'x self,
        element: NodeId,
        namespace: Ns,
        local: &'x str,
    ) -> impl Iterator<Item = NodeId> + 'x {
        self.children(element).filter(move |child| self.is(*child, namespace, local))
    }

    /// The first child element of a name.
    pub fn child(&self, element: NodeId, namespace: Ns, local: &str) -> Option<NodeId> {
        self.children(element).find(|child| self.is(*child, namespace, local))
    }

    /// The element and everything in it, in document order (elements, text, comments).
    pub fn descendants(&self, element: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.nodes[element.0 as usize].span.end;
        (element.0..self.nodes.len() as u32)
            .take_while(move |index| self.nodes[*index as usize].span.start < end)
            .map(NodeId)
    }

    /// The descendant elements of one name (the element itself included).
    pub fn descendants_named<'x>(
        &'x self,
        element: NodeId,
        namespace: Ns,
        local: &'x str,
    ) -> impl Iterator<Item = NodeId> + 'x {
        self.descendants(element).filter(move |node| self.is(*node, namespace, local))
    }

    /// The parent, its parent, and so on to the root.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(node), |ancestor| self.parent(*ancestor))
    }

    /// The text and CDATA directly inside an element, unescaped.
    pub fn text(&self, element: NodeId) -> Cow<'_, str> {
        let mut pieces = self.child_nodes(element).filter_map(|node| self.text_of(node));
        let Some(first) = pieces.next() else { return Cow::Borrowed("") };
        pieces.fold(first, |all, piece| Cow::Owned(all.into_owned() + &piece))
    }

    /// The characters of a text or CDATA node.
    pub fn text_of(&self, node: NodeId) -> Option<Cow<'_, str>> {
        match self.kind(node) {
            NodeKind::Text => Some(unescape(self.raw(node))),
            NodeKind::CData => {
                let raw = self.raw(node);
                Some(Cow::Borrowed(&raw["<![CDATA[".len()..raw.len() - "]]>".len()]))
            }
            NodeKind::Element | NodeKind::Comment | NodeKind::Instruction => None,
        }
    }

    /// The attributes of an element, namespace declarations included (as `Ns::Other`).
    pub fn attributes(&self, element: NodeId) -> impl Iterator<Item = Attribute<'_>> + '_ {
        let data = &self.nodes[element.0 as usize];
        let mut at = data.name.end as usize;
        let end = self.start_tag(element).end;
        std::iter::from_fn(move || {
            let (name, value) = attribute_at(&self.bytes[..end], at)?;
            let whole = at..value.end + 1;
            at = whole.end;
            let qualified = self.slice(name);
            let (namespace, name) = match qualified.split_once(':') {
                None if qualified == "xmlns" => (Ns::Other, qualified),
                None => (Ns::None, qualified),
                Some(("xmlns", local)) => (Ns::Other, local),
                Some((prefix, local)) => {
                    (Ns::of(self.namespace_of_prefix(element, prefix).unwrap_or("?")), local)
                }
            };
            Some(Attribute {
                namespace,
                name,
                value: unescape(self.slice(value.clone())),
                whole,
                value_span: value,
            })
        })
    }

    /// One attribute of an element.
    pub fn attribute(&self, element: NodeId, namespace: Ns, name: &str) -> Option<Attribute<'_>> {
        self.attributes(element).find(|attribute| attribute.namespace == namespace && attribute.name == name)
    }

    /// The value of an attribute.
    pub fn value(&self, element: NodeId, namespace: Ns, name: &str) -> Option<Cow<'_, str>> {
        self.attribute(element, namespace, name).map(|attribute| attribute.value)
    }

    /// The namespace name that a prefix (without colon; empty for the default) is bound to at an element.
    pub fn namespace_of_prefix(&self, element: NodeId, prefix: &str) -> Option<&str> {
        if prefix == "xml" {
            return Some("http://www.w3.org/XML/1998/namespace");
        }
        std::iter::once(element).chain(self.ancestors(element)).find_map(|scope| {
            let first = self.declarations.partition_point(|(owner, ..)| *owner < scope.0);
            let own = self.declarations[first..].iter().take_while(|(owner, ..)| *owner == scope.0);
            own.filter(|(_, bound, _)| bound == prefix).map(|(.., uri)| uri.as_str()).next()
        })
    }

    /// A prefix with its colon that names this namespace at an element, for new markup there; for elements the default namespace
    /// serves too (an empty string). `None` when nothing binds it: declare it on the new element.
    pub fn prefix_for(&self, element: NodeId, namespace: Ns) -> Option<String> {
        let scopes = std::iter::once(element).chain(self.ancestors(element));
        for scope in scopes {
            let first = self.declarations.partition_point(|(owner, ..)| *owner < scope.0);
            for (_, prefix, uri) in
                self.declarations[first..].iter().take_while(|(owner, ..)| *owner == scope.0)
            {
                let still_bound = self.namespace_of_prefix(element, prefix) == Some(uri);
                if Ns::of(uri) == namespace && still_bound {
                    return Some(if prefix.is_empty() { String::new() } else { format!("{prefix}:") });
                }
            }
        }
        None
    }

    /// As `prefix_for`, for attributes, which the default namespace does not reach (Namespaces in XML, 6.2).
    pub fn attribute_prefix_for(&self, element: NodeId, namespace: Ns) -> Option<String> {
        self.declarations
            .iter()
            .filter(|(_, prefix, uri)| !prefix.is_empty() && Ns::of(uri) == namespace)
            .find(|(_, prefix, uri)| self.namespace_of_prefix(element, prefix) == Some(uri))
            .map(|(_, prefix, _)| format!("{prefix}:"))
    }

    /// Plans a new value for an attribute, adding it (with `name_if_new`, qualified) when it is not there.
    pub fn set_attribute(
        &self,
        splices: &mut Splices,
        element: NodeId,
        namespace: Ns,
        name: &str,
        name_if_new: &str,
        value: &str,
    ) -> Result<(), EditError> {
        let escaped = super::escape_attribute(value)?;
        match self.attribute(element, namespace, name) {
            Some(attribute) => {
                // The value may stand in single quotes.
                let quote_safe = escaped.replace('\'', "&apos;");
                splices.replace(attribute.value_span, quote_safe);
            }
            None => splices.insert(
                widen(&self.nodes[element.0 as usize].name).end,
                format!(" {name_if_new}=\"{escaped}\""),
            ),
        }
        Ok(())
    }
}

/// The name and the value (between its quotes) of the next attribute of a sound tag.
fn attribute_at(tag: &[u8], at: usize) -> Option<(Range<usize>, Range<usize>)> {
    let is_space = |byte: &u8| byte.is_ascii_whitespace();
    let start = at + tag.get(at..)?.iter().position(|byte| !is_space(byte))?;
    if matches!(tag[start], b'>' | b'/') {
        return None;
    }
    let name_end = start + tag[start..].iter().position(|byte| is_space(byte) || *byte == b'=')?;
    let open = name_end + tag[name_end..].iter().position(|byte| matches!(byte, b'"' | b'\''))?;
    let close = open + 1 + memchr::memchr(tag[open], &tag[open + 1..])?;
    Some((start..name_end, open + 1..close))
}

fn widen(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

fn link(index: u32) -> Option<NodeId> {
    (index != NONE).then_some(NodeId(index))
}

struct Builder {
    xml: Xml,
    open: Vec<u32>,
    depth: usize,
    /// Where the next `xmlns` stands: tags before it declare nothing, so most are never searched.
    next_declaration: usize,
    /// The open elements that declare namespaces.
    declaring: Vec<u32>,
    /// The prefix looked up last and what it is bound to, while no declaration begins or ends: nearly every element has it.
    last_prefix: Option<(String, Ns)>,
}

impl Builder {
    fn new(length: usize, encoding: Encoding, depth: usize) -> Self {
        let nodes = Vec::with_capacity(length / 32);
        let xml = Xml { bytes: Vec::new(), encoding, nodes, root: NodeId(NONE), declarations: Vec::new() };
        Builder {
            xml,
            open: Vec::new(),
            depth,
            next_declaration: 0,
            declaring: Vec::new(),
            last_prefix: None,
        }
    }

    /// With a `wish`, what is open where the index ends is closed there.
    fn run(mut self, text: Cow<'_, [u8]>, wish: Option<usize>) -> Result<(Xml, bool), XmlError> {
        /// The root and its child.
        const OPEN: usize = 2;
        let bytes: &[u8] = &text;
        let mut scanner = Scanner::new(bytes, self.depth);
        while let Some(token) = scanner.next_token()? {
            let span = token.span.start as u32..token.span.end as u32;
            let name = token.name.start as u32..token.name.end as u32;
            match token.kind {
                TokenKind::Start { empty } => self.start(bytes, span, name, empty)?,
                TokenKind::End => self.end(&span),
                TokenKind::Text => self.leaf(NodeKind::Text, span),
                TokenKind::CData => self.leaf(NodeKind::CData, span),
                TokenKind::Comment => self.leaf(NodeKind::Comment, span),
                TokenKind::Instruction => self.leaf(NodeKind::Instruction, span),
            }
            let end = token.span.end;
            if token.kind == TokenKind::End && self.open.len() == OPEN && wish.is_some_and(|wish| end >= wish)
            {
                let here = end as u32..end as u32;
                while !self.open.is_empty() {
                    self.end(&here);
                }
                scanner.run()?;
                self.xml.bytes = bytes[..end].to_vec();
                return Ok((self.xml, false));
            }
        }
        self.xml.bytes = text.into_owned();
        Ok((self.xml, true))
    }

    fn push(&mut self, mut data: NodeData) -> u32 {
        let index = self.xml.nodes.len() as u32;
        if let Some(&parent) = self.open.last() {
            let last = self.xml.nodes[parent as usize].last_child;
            data.parent = parent;
            data.previous = last;
            match last {
                NONE => self.xml.nodes[parent as usize].first_child = index,
                last => self.xml.nodes[last as usize].next = index,
            }
            self.xml.nodes[parent as usize].last_child = index;
        }
        self.xml.nodes.push(data);
        index
    }

    fn leaf(&mut self, kind: NodeKind, span: Range<u32>) {
        let content = span.clone();
        self.push(NodeData {
            kind,
            namespace: Ns::None,
            name: span.start..span.start,
            content,
            span,
            parent: NONE,
            first_child: NONE,
            last_child: NONE,
            next: NONE,
            previous: NONE,
        });
    }

    fn start(
        &mut self,
        bytes: &[u8],
        span: Range<u32>,
        name: Range<u32>,
        empty: bool,
    ) -> Result<(), XmlError> {
        let content = span.end..span.end;
        let index = self.push(NodeData {
            kind: NodeKind::Element,
            namespace: Ns::None,
            name: name.clone(),
            content,
            span: span.clone(),
            parent: NONE,
            first_child: NONE,
            last_child: NONE,
            next: NONE,
            previous: NONE,
        });
        if self.open.is_empty() {
            self.xml.root = NodeId(index);
        }
        let known = self.xml.declarations.len();
        self.declare(bytes, index, name.end as usize..span.end as usize);
        let declares = self.xml.declarations.len() > known;
        if declares {
            self.last_prefix = None;
        }
        let qualified = std::str::from_utf8(&bytes[widen(&name)]).map_err(|_| XmlError::Encoding)?;
        let prefix = qualified.split_once(':').map_or("", |(prefix, _)| prefix);
        self.xml.nodes[index as usize].namespace = self.resolve(index, prefix, span.start as usize)?;
        if declares && empty {
            self.last_prefix = None;
        }
        if !empty {
            self.open.push(index);
            if declares {
                self.declaring.push(index);
            }
        }
        Ok(())
    }

    /// The namespace of an element by its prefix.
    fn resolve(&mut self, element: u32, prefix: &str, at: usize) -> Result<Ns, XmlError> {
        if let Some((known, namespace)) = &self.last_prefix
            && known == prefix
        {
            return Ok(*namespace);
        }
        let namespace = match self.xml.namespace_of_prefix(NodeId(element), prefix) {
            Some(uri) => Ns::of(uri),
            None if prefix.is_empty() => Ns::None,
            None => {
                let why = format!("the prefix {prefix} is not declared");
                return Err(XmlError::IllFormed { at, why });
            }
        };
        self.last_prefix = Some((prefix.to_owned(), namespace));
        Ok(namespace)
    }

    /// Records the namespace declarations in a start tag (most have none, which is known without looking at them). The scanner has
    /// seen that the tag is sound; a value may hold `xmlns` too, so its attributes are walked.
    fn declare(&mut self, bytes: &[u8], element: u32, tag: Range<usize>) {
        if self.next_declaration < tag.start {
            let found = memchr::memmem::find(&bytes[tag.start..], b"xmlns");
            self.next_declaration = found.map_or(usize::MAX, |found| tag.start + found);
        }
        if self.next_declaration >= tag.end {
            return;
        }
        let text = |range: Range<usize>| std::str::from_utf8(&bytes[range]).unwrap_or_default();
        let mut at = tag.start;
        while let Some((name, value)) = attribute_at(&bytes[..tag.end], at) {
            at = value.end + 1;
            let prefix = match text(name) {
                "xmlns" => "",
                name => match name.strip_prefix("xmlns:") {
                    Some(prefix) => prefix,
                    None => continue,
                },
            };
            let uri = unescape(text(value)).into_owned();
            self.xml.declarations.push((element, prefix.to_owned(), uri));
        }
    }

    fn end(&mut self, span: &Range<u32>) {
        if let Some(index) = self.open.pop() {
            if self.declaring.pop_if(|declaring| *declaring == index).is_some() {
                self.last_prefix = None;
            }
            let data = &mut self.xml.nodes[index as usize];
            data.content.end = span.start;
            data.span.end = span.end;
        }
    }
}
