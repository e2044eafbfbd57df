//! `Ask` and `Conclude`: one request to the model, its limits, and what an unusable answer leads to.

use gateway::{ChatRequest, Delta, ErrorCode, Finish, Message, Params, Thinking, Usage};

use super::{State, Stopped, Turn, conversation, prompt};
use crate::agent::{
    markdown_diff,
    model::{Step, StepError, StepOutcome},
    tools::schema,
};
use crate::api::{
    AppError, EventBody,
    error::{ErrorCode as AppCode, sentence},
    events::ToolCallState,
};

/// Characters of one token, on the careful side for mixed Chinese and English text.
const CHARACTERS_PER_TOKEN: usize = 2;
/// The part of a model's context that is kept for its answer, unless that is more than an answer ever takes.
const ANSWER_SHARE: usize = 4;
const LONGEST_ANSWER: usize = 8_192;
/// The part that the conversation gets at least, however large the tools are.
const LEAST_SHARE: usize = 4;

/// What kind of request is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    /// Tools offered, thinking off.
    Tools,
    /// No tools, thinking on.
    Answer,
}

impl Turn {
    /// Gets the next message of the model and decides what it is.
    pub(super) async fn ask(&mut self) -> Result<State, AppError> {
        if let Some(why) = self.over_limit() {
            return Ok(self.stopped(&why));
        }
        match self.request_step(Round::Tools).await? {
            Ok(outcome) => {
                self.count_step(&outcome);
                Ok(self.judge(outcome))
            }
            Err(error) => self.unusable(error),
        }
    }

    /// Asks for the final answer, with thinking on and no tools.
    pub(super) async fn final_answer(&mut self) -> Result<State, AppError> {
        if let Some(why) = self.over_limit() {
            return Ok(self.stopped(&why));
        }
        match self.request_step(Round::Answer).await? {
            Ok(outcome) => {
                self.count_step(&outcome);
                let text = outcome.message.text.clone();
                self.request.conversation.assistant(outcome.message);
                Ok(State::Done(text))
            }
            Err(error) => self.unusable(error),
        }
    }

    fn over_limit(&self) -> Option<Stopped> {
        let limits = &self.request.limits;
        if self.steps >= limits.steps {
            return Some(Stopped::Steps(limits.steps));
        }
        (limits.tokens > 0 && self.spent >= u64::from(limits.tokens))
            .then(|| Stopped::Tokens(u64::from(limits.tokens)))
    }

    async fn request_step(&mut self, round: Round) -> Result<Result<StepOutcome, StepError>, AppError> {
        self.steps += 1;
        let files = self.files().await?;
        let chat = self.chat(round, &files);
        let step = Step {
            chat: &chat,
            words: &self.request.words,
            since: self.since(),
            files: &files,
            inline_characters: self.inline_characters(),
        };
        let mut shown = Shown::new(self, round);
        let answered = self.model.respond(step, &mut |delta| shown.take(delta), &self.cancel).await;
        let (usage, retries, arrived) = match &answered {
            Ok(outcome) => (outcome.usage, outcome.retries, conversation::size_of_answer(&outcome.message)),
            Err(error) => (error.usage, error.retries, error.partial.text.len()),
        };
        self.spent = self.spent.saturating_add(match usage.total_tokens() {
            0 => estimated(&chat, arrived),
            told => told,
        });
        self.usage = plus(self.usage, usage);
        self.retries += retries;
        Ok(answered)
    }

    /// The request as it is sent.
    fn chat(&self, round: Round, files: &[crate::api::answers::DocumentInfo]) -> ChatRequest {
        let card = self.card();
        let mut system =
            prompt::system(self.request.protocol, self.request.limits.inline_characters as usize);
        if card.can_think && round == Round::Tools {
            system.push_str(&prompt::ready_rule());
        }
        let tools = match round {
            Round::Tools => schema::tools(card, files, self.degraded, self.request.protocol),
            Round::Answer => Vec::new(),
        };
        let room = room(card.context_tokens, system.len() + size_of_tools(&tools));
        let mut messages = vec![Message::system(system)];
        messages.extend(self.request.conversation.fitted(self.begins, room));
        let thinking = match round {
            Round::Tools => Thinking::Off,
            Round::Answer => Thinking::On,
        };
        ChatRequest { messages, tools, params: Params { thinking, ..Params::default() } }
    }

    pub(super) fn inline_characters(&self) -> usize {
        match self.request.protocol {
            Some(crate::agent::routing::Protocol::FunctionCall) => 0,
            _ => self.request.limits.inline_characters as usize,
        }
    }

    /// A message with calls is done, one with diff blocks is applied, any other is the answer. Text never becomes a call.
    fn judge(&mut self, outcome: StepOutcome) -> State {
        self.guard.usable();
        let message = outcome.message;
        let is_ready = message.text.trim().trim_end_matches(['.', '!']) == prompt::READY;
        if self.card().can_think
            && is_ready
            && message.tool_calls.is_empty()
            && outcome.finish == Finish::Stop
        {
            // The word is not part of the conversation: some endpoints take no request that ends with a message of the model.
            return State::Conclude;
        }
        self.request.conversation.assistant(message.clone());
        if !message.tool_calls.is_empty() {
            return State::Act(message);
        }
        let set = markdown_diff::parse(&message.text);
        if !set.is_empty() {
            return State::Apply(set);
        }
        State::Done(message.text)
    }

    /// The endpoint failed (the turn fails), or the answer was unusable: the model is told why and may try again, within bounds.
    fn unusable(&mut self, error: StepError) -> Result<State, AppError> {
        if !error.code.is_about_the_answer() {
            return Err(endpoint_error(&error));
        }
        let is_truncated = is_truncation(error.code);
        self.degraded |= is_truncated;
        self.note_unfinished(&error.partial.text);
        self.keep_unfinished_text();
        if !error.partial.text.is_empty() {
            let message =
                gateway::AssistantMessage { text: error.partial.text.clone(), ..Default::default() };
            self.request.conversation.assistant(message);
        }
        let known = error
            .partial
            .calls
            .iter()
            .find_map(|call| call.known.get("file_id")?.as_str())
            .map(str::to_string);
        let answer = unusable_answer(&error, is_truncated, known.as_deref());
        self.count_unusable(&error, &answer);
        let stopped = known
            .as_deref()
            .and_then(|file_id| self.guard.failed("(cut off)", &answer.to_string(), Some(file_id), &answer))
            .or_else(|| self.guard.unusable(error.code.as_str(), &error.message));
        if let Some(why) = stopped {
            return Ok(self.stopped(&why));
        }
        let told = crate::agent::receipts::for_model(&answer, 4_000);
        self.request.conversation.user(format!(
            "[Stet, not the user] Your last message could not be used; nothing was run.\n{told}"
        ));
        Ok(State::Ask)
    }
}

/// The codes that say the answer was cut off.
pub(super) fn is_truncation(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::ArgumentsTruncated | ErrorCode::StreamEof)
}

fn unusable_answer(error: &StepError, is_truncated: bool, file_id: Option<&str>) -> serde_json::Value {
    let code = if is_truncated { AppCode::ArgumentsTruncated } else { AppCode::InvalidArguments };
    let what = error.partial.calls.first().and_then(|call| call.name.clone());
    let about = what.map_or_else(String::new, |name| format!(" The call was to `{name}`."));
    let mut app = AppError::new(code, format!("{}{about}", sentence(&error.message)));
    if let Some(file_id) = file_id {
        app = app.about(file_id, None);
    }
    let mut answer = app.answer();
    answer["error"]["cause"] = error.code.as_str().into();
    if error.code == ErrorCode::CallInText {
        answer["error"]["hint"] = "Text is never run as a call. Use the tool interface.".into();
    }
    answer
}

/// The endpoint's failure in the contract's words.
fn endpoint_error(error: &StepError) -> AppError {
    if error.code == ErrorCode::Cancelled {
        // Wherever the wish to stop was heard first.
        return AppError::new(AppCode::Cancelled, "The turn was cancelled.");
    }
    let message = format!("The model did not answer ({}): {}", error.code.as_str(), error.message);
    crate::api::models_api::endpoint_error(error.code, message)
}

/// The characters that the conversation may fill, beside the system message and the tools.
fn room(context_tokens: usize, beside: usize) -> usize {
    let all = context_tokens.saturating_mul(CHARACTERS_PER_TOKEN);
    let answer = (context_tokens / ANSWER_SHARE).min(LONGEST_ANSWER) * CHARACTERS_PER_TOKEN;
    all.saturating_sub(answer + beside).max(all / LEAST_SHARE)
}

fn size_of_tools(tools: &[gateway::Tool]) -> usize {
    tools.iter().map(|tool| tool.description.len() + tool.parameters.to_string().len()).sum()
}

/// What a request costs where the endpoint does not say: a token for four bytes.
fn estimated(chat: &ChatRequest, arrived: usize) -> u64 {
    let sent = conversation::size_of(&chat.messages) + size_of_tools(&chat.tools);
    u64::try_from((sent + arrived) / 4).unwrap_or(u64::MAX)
}

fn plus(one: Usage, other: Usage) -> Usage {
    Usage {
        prompt_tokens: one.prompt_tokens.saturating_add(other.prompt_tokens),
        completion_tokens: one.completion_tokens.saturating_add(other.completion_tokens),
        reasoning_tokens: one.reasoning_tokens.saturating_add(other.reasoning_tokens),
        cached_tokens: one.cached_tokens.saturating_add(other.cached_tokens),
    }
}

/// Turns deltas into events. The word that only ends a tool round is held back.
struct Shown {
    app: std::sync::Arc<crate::api::App>,
    turn_id: String,
    step: u32,
    holds: bool,
    /// Whether the first words of each attempt are held back.
    holds_first: bool,
    held: String,
    has_shown: bool,
}

impl Shown {
    fn new(turn: &Turn, round: Round) -> Shown {
        Shown {
            app: std::sync::Arc::clone(&turn.app),
            turn_id: turn.request.turn_id.clone(),
            step: turn.steps,
            holds: turn.card().can_think && round == Round::Tools,
            holds_first: turn.card().can_think && round == Round::Tools,
            held: String::new(),
            has_shown: false,
        }
    }

    fn take(&mut self, delta: Delta) {
        let turn_id = self.turn_id.clone();
        match delta {
            Delta::Text(text) => self.text(&text),
            Delta::Reasoning(delta) => {
                self.has_shown = true;
                self.app.tell(EventBody::TurnReasoning { turn_id, delta });
            }
            Delta::ToolProgress { index, name, bytes } => self.app.tell(EventBody::ToolCall {
                id: format!("{turn_id}-{}-{index}", self.step),
                turn_id,
                name,
                state: ToolCallState::Streaming,
                arguments_so_far_bytes: bytes,
            }),
            Delta::Restarted { .. } => {
                self.held.clear();
                self.holds = self.holds_first;
                if std::mem::take(&mut self.has_shown) {
                    self.app.tell(EventBody::TurnRestarted { turn_id });
                }
            }
            Delta::Usage(_) | Delta::Continuing { .. } | Delta::Waiting { .. } => {}
        }
    }

    fn text(&mut self, text: &str) {
        let delta = if self.holds {
            self.held.push_str(text);
            if prompt::READY.starts_with(self.held.trim()) {
                return;
            }
            self.holds = false;
            std::mem::take(&mut self.held)
        } else {
            text.to_string()
        };
        self.has_shown = true;
        self.app.tell(EventBody::TurnText { turn_id: self.turn_id.clone(), delta });
    }
}
