//! A model behind an endpoint: the gateway's turn as one step.

use gateway::{CancellationToken, Client, Delta, GatewayError, TurnOutcome, complete};

use super::{Answering, Model, ModelCard, Step, StepError, StepOutcome};

/// A model that answers over the wire.
pub struct RemoteModel {
    client: Client,
    card: ModelCard,
    /// The most that one answer may bring; betrays hidden truncations.
    max_tokens: Option<u32>,
    temperature: Option<f64>,
    seed: Option<u64>,
}

/// What is assumed when the settings do not say how much a model takes in.
const USUAL_CONTEXT: usize = 64_000;
const USUAL_ANSWER: u32 = 8_192;

impl RemoteModel {
    /// `id` is `provider/model`.
    pub fn new(client: Client, id: &str) -> RemoteModel {
        let endpoint = client.endpoint();
        let thinking = &endpoint.dialect.thinking;
        let can_think = !thinking.always_on && (!thinking.off.is_empty() || !thinking.on.is_empty());
        let card = ModelCard {
            id: id.to_string(),
            endpoint: id.split('/').next().unwrap_or(id).to_string(),
            context_tokens: USUAL_CONTEXT,
            takes_one_of: endpoint.dialect.takes_one_of(),
            can_think,
            relays_user: false,
        };
        RemoteModel { client, card, max_tokens: Some(USUAL_ANSWER), temperature: None, seed: None }
    }

    /// The same with another context size; an answer may take a quarter of it at most.
    pub fn context(mut self, tokens: usize) -> RemoteModel {
        self.card.context_tokens = tokens;
        let quarter = u32::try_from(tokens / 4).unwrap_or(u32::MAX);
        self.max_tokens = self.max_tokens.map(|limit| limit.min(quarter));
        self
    }

    /// The same with a fixed temperature, for experiments that can be repeated.
    pub fn temperature(mut self, temperature: f64) -> RemoteModel {
        self.temperature = Some(temperature);
        self
    }

    /// The same with a fixed seed, where the endpoint has one.
    pub fn seed(mut self, seed: u64) -> RemoteModel {
        self.seed = Some(seed);
        self
    }

    /// The same with another limit of an answer.
    pub fn max_tokens(mut self, limit: Option<u32>) -> RemoteModel {
        self.max_tokens = limit;
        self
    }
}

impl Model for RemoteModel {
    fn card(&self) -> &ModelCard {
        &self.card
    }

    fn respond<'a>(
        &'a self,
        step: Step<'a>,
        on_delta: &'a mut (dyn FnMut(Delta) + Send),
        cancel: &'a CancellationToken,
    ) -> Answering<'a> {
        Box::pin(async move {
            let mut request = step.chat.clone();
            request.params.max_tokens = request.params.max_tokens.or(self.max_tokens);
            request.params.temperature = request.params.temperature.or(self.temperature);
            if let Some(seed) = self.seed {
                request.params.extra.insert("seed".into(), seed.into());
            }
            let answered = complete(&self.client, &request, on_delta, cancel).await;
            answered.map(outcome).map_err(fault)
        })
    }
}

fn outcome(turn: TurnOutcome) -> StepOutcome {
    StepOutcome {
        retries: repairs(&turn.retries),
        message: turn.message,
        finish: turn.finish,
        usage: turn.usage.unwrap_or_default(),
        continuation: turn.continuation,
    }
}

fn fault(error: GatewayError) -> StepError {
    StepError {
        retries: repairs(&error.retries),
        code: error.code,
        message: error.message,
        partial: *error.partial,
        usage: error.usage.unwrap_or_default(),
        continuation: error.continuation,
    }
}

/// Repetitions that a fault of the answer made necessary.
fn repairs(retries: &[gateway::Retry]) -> usize {
    retries.iter().filter(|retry| retry.kind == gateway::RetryKind::Repair).count()
}
