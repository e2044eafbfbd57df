//! A state machine: whatever users, assistants, other programs and restarts do in any order, the invariants hold.

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Action {
    Edit { line: usize, word: u8 },
    Stage { line: usize, word: u8 },
    StaleEdit,
    BadEdit,
    External { word: u8 },
    Touch,
    AcceptAll,
    AcceptFirst,
    Reject,
    Restore { pick: usize },
    Undo,
    Redo,
    Restart,
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        3 => (0_usize..6, any::<u8>()).prop_map(|(line, word)| Action::Edit { line, word }),
        3 => (0_usize..6, any::<u8>()).prop_map(|(line, word)| Action::Stage { line, word }),
        1 => Just(Action::StaleEdit),
        1 => Just(Action::BadEdit),
        2 => any::<u8>().prop_map(|word| Action::External { word }),
        1 => Just(Action::Touch),
        2 => Just(Action::AcceptAll),
        2 => Just(Action::AcceptFirst),
        1 => Just(Action::Reject),
        2 => (0_usize..32).prop_map(|pick| Action::Restore { pick }),
        3 => Just(Action::Undo),
        2 => Just(Action::Redo),
        1 => Just(Action::Restart),
    ]
}

/// What the test believes: every content by revision, and where undo and redo lead.
struct Model {
    contents: Vec<String>,
    undo: Vec<usize>,
    redo: Vec<usize>,
    state: usize,
}

impl Model {
    fn now(&self) -> &str {
        self.contents.last().unwrap()
    }

    fn revision(&self) -> u64 {
        self.contents.len() as u64
    }

    /// A new content by an ordinary change.
    fn change(&mut self, content: String) {
        self.contents.push(content);
        self.undo.push(self.state);
        self.redo.clear();
        self.state = self.contents.len() - 1;
    }

    fn step(&mut self, target: usize) {
        self.contents.push(self.contents[target].clone());
        self.state = target;
    }
}

struct World {
    scratch: Scratch,
    app: Arc<App>,
    path: PathBuf,
    id: String,
    model: Model,
}

impl World {
    fn new() -> World {
        let scratch = Scratch::new();
        let first = "a\nb\nc\nd\n";
        let path = scratch.write("a.md", first);
        let app = scratch.app();
        let id = open(&app, &path).file_id;
        let model = Model { contents: vec![first.into()], undo: Vec::new(), redo: Vec::new(), state: 0 };
        World { scratch, app, path, id, model }
    }

    fn disk(&self) -> String {
        fs::read_to_string(&self.path).unwrap()
    }

    fn take(&mut self, action: &Action) {
        let before = self.disk();
        let op = |line: usize, word: u8| json!([{ "op": "insert_lines", "line": line.max(1), "text": format!("w{word}") }]);
        let result = match action {
            Action::Edit { line, word } => {
                Some(commit(&self.app, &self.id, self.model.revision(), op(*line, *word)))
            }
            Action::Stage { line, word } => {
                Some(stage(&self.app, &self.id, self.model.revision(), op(*line, *word)))
            }
            Action::StaleEdit => {
                let refused = commit(&self.app, &self.id, self.model.revision() + 1, append("x"));
                assert_eq!(code(refused), ErrorCode::ContentRevConflict);
                None
            }
            Action::BadEdit => {
                let ops = json!([{ "op": "append_lines", "text": "x" }, { "op": "delete_text", "find": "not there at all" }]);
                assert_eq!(
                    code(commit(&self.app, &self.id, self.model.revision(), ops)),
                    ErrorCode::ZeroMatches
                );
                None
            }
            Action::External { word } => {
                let content = format!("{before}outside {word}\n");
                fs::write(&self.path, &content).unwrap();
                self.model.change(content);
                open(&self.app, &self.path);
                return;
            }
            Action::Touch => {
                fs::write(&self.path, &before).unwrap();
                open(&self.app, &self.path);
                None
            }
            Action::AcceptAll => self.decide(None),
            Action::AcceptFirst => self.decide(Some(vec![0])),
            Action::Reject => {
                if let Some(proposal) = proposals(&self.app).pop() {
                    reject(&self.app, &proposal.proposal_id, None).unwrap();
                }
                None
            }
            Action::Restore { pick } => {
                let pick = pick % self.model.contents.len();
                let snapshots = history(&self.app, &self.id).snapshots;
                let snapshot =
                    snapshots.iter().find(|snapshot| snapshot.content_rev == pick as u64 + 1).unwrap();
                let receipt =
                    restore(&self.app, &self.id, &snapshot.id, Some(self.model.revision())).unwrap();
                assert_eq!(self.disk(), self.model.contents[pick]);
                Some(Ok(receipt))
            }
            Action::Undo => return self.step(true),
            Action::Redo => return self.step(false),
            Action::Restart => {
                self.app = self.scratch.app();
                None
            }
        };
        if let Some(Ok(receipt)) = &result
            && serde_json::to_value(receipt.status).unwrap() == "committed"
        {
            assert_eq!(
                (receipt.previous_rev, receipt.content_rev),
                (self.model.revision(), self.model.revision() + 1)
            );
            assert_ne!(self.disk(), before, "a commit changes something");
            self.model.change(self.disk());
        } else {
            assert_eq!(self.disk(), before, "{action:?}: {result:?}");
        }
    }

    fn decide(&self, changes: Option<Vec<usize>>) -> Option<Result<Receipt, AppError>> {
        let proposal = proposals(&self.app).pop()?;
        if proposal.changes.is_empty() {
            return None;
        }
        Some(accept(&self.app, &proposal.proposal_id, changes))
    }

    fn step(&mut self, is_undo: bool) {
        let target = if is_undo { self.model.undo.last() } else { self.model.redo.last() }.copied();
        let result = if is_undo { undo(&self.app, &self.id) } else { redo(&self.app, &self.id) };
        let Some(target) = target else {
            assert_eq!(code(result), ErrorCode::OutOfRange);
            return;
        };
        let from = self.model.state;
        let is_same = self.model.contents[target] == self.model.now();
        let receipt = result.unwrap();
        assert_eq!(self.disk(), self.model.contents[target]);
        if is_undo {
            self.model.undo.pop();
            self.model.redo.push(from);
        } else {
            self.model.redo.pop();
            self.model.undo.push(from);
        }
        assert!(!is_same, "two neighbouring states are never the same");
        self.model.step(target);
        assert_eq!(receipt.content_rev, self.model.revision());
    }

    fn check(&self) {
        assert_eq!(self.disk(), self.model.now());
        assert_eq!(open(&self.app, &self.path).content_rev, self.model.revision());
        let history = history(&self.app, &self.id);
        assert_eq!(history.snapshots.len(), self.model.contents.len());
        assert_eq!(history.can_redo, !self.model.redo.is_empty());
        assert_eq!(history.can_undo, !self.model.undo.is_empty());
        for proposal in proposals(&self.app) {
            assert_eq!(
                proposal.base_rev,
                self.model.revision(),
                "a proposal always means the present content"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: rounds(24, 400) as u32, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn anything_in_any_order(actions in proptest::collection::vec(action(), 1..30)) {
        let mut world = World::new();
        for action in &actions {
            world.take(action);
            world.check();
        }
        drop(world.app);
        check_sound(&world.scratch, &world.path);
    }
}
