//! Which call a fragment belongs to.
//!
//! Endpoints repeat ids and names, change ids half-way, give every call index 0, or send neither id nor index. The rules below are
//! tried in order and the first that applies decides. Where none decides without guessing, the turn is marked undecided: it will not
//! be executed. Nothing here looks at whether arguments are complete in order to finish a call; it only asks whether the open call
//! is lexically closed when a new nameable fragment comes without any identity.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::chunk::{CallFragment, FunctionFragment};
use super::lenient::{Loose, Maybe};
use crate::json::lexer::{Lexer, Scan};

/// One call as it was put together, not yet judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RawCall {
    /// The first id that came.
    pub(crate) id: Option<String>,
    /// The first name that came.
    pub(crate) name: Option<String>,
    /// Text fragments, one after the other; changed only through [`RawCall::push`] and [`RawCall::replace`].
    pub(crate) arguments: String,
    /// Kept beside the text, so that the end of the stream need not walk over it again.
    lexer: Lexer,
    /// Where in `arguments` each fragment begins, and whether its chunk also carried a name.
    pub(crate) pieces: Vec<Piece>,
    /// Arguments that came as objects.
    pub(crate) objects: Vec<Value>,
    pub(crate) extra: Map<String, Value>,
    pub(crate) oddities: Oddities,
}

impl RawCall {
    pub(crate) fn push(&mut self, text: &str, named: bool) {
        self.pieces.push(Piece { start: self.arguments.len(), named });
        self.arguments.push_str(text);
        self.lexer.feed(text);
    }

    /// Takes a whole text in place of everything that came.
    pub(crate) fn replace(&mut self, whole: &str) {
        self.arguments.clear();
        self.pieces.clear();
        self.lexer = Lexer::default();
        self.push(whole, false);
    }

    /// What a walk over the arguments finds.
    pub(crate) fn scan(&self) -> Scan {
        self.lexer.state()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) start: usize,
    pub(crate) named: bool,
}

/// What was tolerated while putting a call together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Oddities {
    pub(crate) renumbered: bool,
    pub(crate) id_changed: bool,
    pub(crate) id_lifted: bool,
}

/// All calls of a turn, in order of appearance.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    calls: Vec<RawCall>,
    indexes: Vec<Option<i64>>,
    by_id: HashMap<String, usize>,
    by_index: HashMap<i64, usize>,
    /// Indexes that were taken for the current call without having been announced.
    borrowed: Vec<i64>,
    current: Option<usize>,
    undecided: Option<&'static str>,
    forms: Forms,
}

/// Which spellings of calls were seen.
#[derive(Clone, Copy, Debug, Default)]
struct Forms {
    listed: bool,
    legacy: bool,
}

/// Where a fragment stands in its chunk.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) position: usize,
    pub(crate) siblings: usize,
}

/// What a fragment did: which call it went to and how many bytes of arguments it brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) call: usize,
    pub(crate) bytes: usize,
}

impl Calls {
    /// Adds one fragment of `tool_calls`.
    pub(crate) fn add(&mut self, fragment: CallFragment<'_>, place: Place) -> Placed {
        self.forms.listed = true;
        self.put(fragment, place)
    }

    fn put(&mut self, fragment: CallFragment<'_>, place: Place) -> Placed {
        if self.forms.listed && self.forms.legacy {
            // One call in two spellings, or two calls: nobody can tell.
            self.doubt("calls came both as tool_calls and as function_call");
        }
        let function = fragment.function.0.unwrap_or_default();
        let outer_id = fragment.id.word();
        let id = outer_id.or_else(|| function.id.word());
        let name = function.name.word();
        let call = self.resolve(id, fragment.index.0, name, place);
        if outer_id.is_none() && id.is_some() {
            self.calls[call].oddities.id_lifted = true;
        }
        self.set_name(call, name);
        let bytes = self.append(call, function.arguments, name.is_some());
        for (key, value) in fragment.extra {
            self.calls[call].extra.insert(key, value);
        }
        self.current = Some(call);
        Placed { call, bytes }
    }

    /// Adds a fragment of the older `function_call`, which has no identity at all.
    pub(crate) fn add_legacy(&mut self, function: FunctionFragment<'_>) -> Placed {
        let fragment = CallFragment { function: Maybe(Some(function)), ..CallFragment::default() };
        self.forms.legacy = true;
        self.put(fragment, Place { position: 0, siblings: 1 })
    }

    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    pub(crate) fn object_count(&self) -> usize {
        self.calls.iter().map(|call| call.objects.len()).sum()
    }

    pub(crate) fn get(&self, call: usize) -> Option<&RawCall> {
        self.calls.get(call)
    }

    /// The calls, and why they are not certain if they are not.
    pub(crate) fn finish(self) -> (Vec<RawCall>, Option<&'static str>) {
        (self.calls, self.undecided)
    }

    fn resolve(&mut self, id: Option<&str>, index: Option<i64>, name: Option<&str>, place: Place) -> usize {
        if let Some(id) = id {
            return match (self.by_id.get(id).copied(), name, index) {
                (Some(call), _, _) => self.known_id(call, index, name),
                (None, Some(name), _) => self.new_id_with_name(id, index, name),
                (None, None, Some(index)) => self.new_id_without_name(id, index),
                // Neither name nor index: it may be a new call or a changed id. It starts one, which stays void until it is named.
                (None, None, None) => self.start(Some(id), None),
            };
        }
        match (index, name) {
            (Some(index), _) if self.by_index.contains_key(&index) => self.by_index[&index],
            (Some(index), Some(_)) => self.start(None, Some(index)),
            (Some(index), None) => self.unannounced_index(index),
            (None, Some(name)) => self.named_only(name, place),
            (None, None) => self.nothing_known(place),
        }
    }

    /// Rule (a). The same id on another index together with a name is one id for two calls.
    fn known_id(&mut self, call: usize, index: Option<i64>, name: Option<&str>) -> usize {
        let moved = matches!((index, self.indexes[call]), (Some(now), Some(before)) if now != before);
        if moved && name.is_some() {
            self.doubt("one id is used for two calls");
        }
        call
    }

    /// Rule (b): a new call, whatever the index. The one exception is an id that comes late: the call on this index has the same name,
    /// no id and no arguments yet.
    fn new_id_with_name(&mut self, id: &str, index: Option<i64>, name: &str) -> usize {
        let open = index.and_then(|index| self.by_index.get(&index).copied());
        if let Some(call) = open {
            let seen = &self.calls[call];
            let is_bare = seen.id.is_none() && seen.arguments.is_empty() && seen.objects.is_empty();
            if is_bare && seen.name.as_deref().is_none_or(|known| known == name) {
                self.adopt_id(call, id);
                return call;
            }
        }
        self.start(Some(id), index)
    }

    /// Rule (c): the call that is open on this index goes on, and its first id stays.
    fn new_id_without_name(&mut self, id: &str, index: i64) -> usize {
        let Some(call) = self.by_index.get(&index).copied() else { return self.start(Some(id), Some(index)) };
        self.adopt_id(call, id);
        call
    }

    /// Rule (e) for an index that was never announced.
    fn unannounced_index(&mut self, index: i64) -> usize {
        match self.current {
            Some(call) => {
                self.borrowed.push(index);
                call
            }
            None => self.start(None, Some(index)),
        }
    }

    /// Rule (f), and the position in a chunk that starts several calls at once.
    fn named_only(&mut self, name: &str, place: Place) -> usize {
        let Some(open) = self.current else { return self.start(None, None) };
        let is_next_in_chunk = place.siblings > 1 && place.position > 0;
        let seen = &self.calls[open];
        let is_closed = !seen.objects.is_empty() || seen.scan().is_closed();
        if is_next_in_chunk || is_closed {
            return self.start(None, None);
        }
        if seen.name.is_none() {
            return open; // a late name
        }
        let reason = if seen.name.as_deref() == Some(name) {
            "a name was repeated without id or index"
        } else {
            "a call began without id or index while another was open"
        };
        self.doubt(reason);
        open
    }

    /// Rule (e): the call being streamed.
    fn nothing_known(&mut self, place: Place) -> usize {
        if place.siblings > 1 {
            self.doubt("several fragments came without any identity");
        }
        match self.current {
            Some(call) => call,
            None => self.start(None, None),
        }
    }

    fn start(&mut self, id: Option<&str>, index: Option<i64>) -> usize {
        let call = self.calls.len();
        let takes_over = index.is_some_and(|index| self.by_index.contains_key(&index));
        let expected = i64::try_from(call).ok();
        if index.is_some_and(|index| self.borrowed.contains(&index)) {
            self.doubt("fragments came before their call");
        }
        let oddities = Oddities { renumbered: takes_over || index != expected, ..Oddities::default() };
        self.calls.push(RawCall { id: id.map(str::to_owned), oddities, ..RawCall::default() });
        self.indexes.push(index);
        if let Some(id) = id {
            self.by_id.insert(id.to_owned(), call);
        }
        if let Some(index) = index {
            self.by_index.insert(index, call);
        }
        call
    }

    fn adopt_id(&mut self, call: usize, id: &str) {
        self.by_id.insert(id.to_owned(), call);
        let seen = &mut self.calls[call];
        match seen.id {
            None => seen.id = Some(id.to_owned()),
            Some(_) => seen.oddities.id_changed = true,
        }
    }

    /// Rule 3: set once; an identical repeat is dropped, a different one makes the turn undecided.
    fn set_name(&mut self, call: usize, name: Option<&str>) {
        let Some(name) = name else { return };
        let seen = &mut self.calls[call];
        match seen.name.as_deref() {
            None => seen.name = Some(name.to_owned()),
            Some(known) if known == name => {}
            Some(_) => self.doubt("a call changed its name"),
        }
    }

    fn append(&mut self, call: usize, arguments: Loose<'_>, named: bool) -> usize {
        let seen = &mut self.calls[call];
        let mut push = |text: &str| {
            seen.push(text, named);
            text.len()
        };
        match arguments {
            Loose::Nothing => 0,
            Loose::Text(text) => push(&text),
            Loose::Other(value @ Value::Object(_)) => {
                seen.objects.push(value);
                0
            }
            Loose::Other(value) => push(&value.to_string()),
        }
    }

    fn doubt(&mut self, reason: &'static str) {
        self.undecided.get_or_insert(reason);
    }
}
