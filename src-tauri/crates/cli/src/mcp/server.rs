//! One client's session: the protocol's requests, each handed to the module that answers it.

use std::{borrow::Cow, collections::BTreeSet, sync::Arc, time::Duration};

use assistant::{AppError, api::error::ErrorCode, workspace::Stop};
use rmcp::{
    ErrorData, Peer, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult,
        GetPromptRequestParams, GetPromptResponse, Implementation, InitializeResult, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ProgressToken, ProtocolVersion, ReadResourceRequestParams,
        ReadResourceResponse, ServerCapabilities, SubscribeRequestParams, UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext},
};
use serde_json::Value;
use tokio::sync::{Mutex, mpsc};

use super::{
    Shared,
    fence::Fence,
    prompts, resources,
    tools::{self, Told, Work},
    watch,
};

/// A client that was asked for its roots answers within this time, or is taken to have none.
const ROOTS_WITHIN: Duration = Duration::from_secs(10);

const INSTRUCTIONS: &str = "Stet edits the user's own Word, Excel, PowerPoint and text files in place, exactly and reversibly. \
Call file_list, then file_read for the addresses and the content_rev, then file_edit with that revision. \
A refused edit changed nothing; its `error.retry` says what to do.";
const STAGED: &str = " Edits wait as proposals until the user accepts them in the Stet app or with `stet history FILE --accept ID`: tell the user so.";
const COMMITTED: &str =
    " Edits are written at once; every write keeps a snapshot that file_restore brings back.";

/// One session. Clones are the same session.
#[derive(Clone)]
pub(crate) struct Server {
    pub(super) shared: Arc<Shared>,
    pub(super) fence: Arc<Fence>,
    /// Whether the client's roots were asked for since they last changed.
    has_roots: Arc<Mutex<bool>>,
    pub(super) subscribed: Arc<std::sync::Mutex<BTreeSet<String>>>,
}

impl Server {
    pub(super) fn new(shared: Arc<Shared>) -> Server {
        let fence = Arc::new(Fence::new(shared.grants.clone()));
        Server { shared, fence, has_roots: Arc::default(), subscribed: Arc::default() }
    }

    /// Asks the client for its roots, once until it says that they changed.
    #[expect(deprecated, reason = "roots/list is what clients of today speak; SEP-2577 retires it later")]
    async fn learn_roots(&self, peer: &Peer<RoleServer>) {
        let mut has_roots = self.has_roots.lock().await;
        if *has_roots {
            return;
        }
        let tells_roots = peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some());
        let roots = match tells_roots {
            true => tokio::time::timeout(ROOTS_WITHIN, peer.list_roots()).await.ok().and_then(Result::ok),
            false => None,
        };
        self.fence.take_roots(roots.map(|told| told.roots.into_iter().map(|root| root.uri).collect()));
        *has_roots = true;
    }

    fn work(&self, context: &RequestContext<RoleServer>, told: Told) -> Work {
        let client =
            context.client_info().map_or_else(|| "mcp".into(), |client| format!("mcp/{}", client.name));
        Work {
            shared: Arc::clone(&self.shared),
            fence: Arc::clone(&self.fence),
            stop: Stop::default(),
            told,
            client,
        }
    }

    /// Runs work on a thread that may block, until it ends or the client cancels it.
    async fn run<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        run: impl FnOnce(Work) -> Result<T, AppError> + Send + 'static,
    ) -> Result<T, AppError> {
        self.learn_roots(&context.peer).await;
        let cancelled = || AppError::new(ErrorCode::Cancelled, "Cancelled. Nothing was written.");
        let internal = |why: String| AppError::new(ErrorCode::Internal, format!("The call failed: {why}."));
        let _turn = tokio::select! {
            turn = self.shared.turns.acquire() => turn.map_err(|error| internal(error.to_string()))?,
            () = context.ct.cancelled() => return Err(cancelled()),
        };
        let (sender, progress) = mpsc::unbounded_channel();
        let telling = context
            .meta
            .get_progress_token()
            .map(|token| tokio::spawn(tell_progress(context.peer.clone(), token, progress)));
        let work = self.work(context, Told::new(sender));
        let stop = work.stop.clone();
        let mut running = tokio::task::spawn_blocking(move || run(work));
        let done = tokio::select! {
            done = &mut running => done,
            () = context.ct.cancelled() => {
                stop.cancel();
                running.await
            }
        };
        if let Some(telling) = telling {
            // What was on its way is told before the answer.
            let _ = telling.await;
        }
        done.unwrap_or_else(|error| Err(internal(error.to_string())))
    }
}

/// Passes progress on, and shows every second that a silent call is alive.
async fn tell_progress(
    peer: Peer<RoleServer>,
    token: ProgressToken,
    mut progress: mpsc::UnboundedReceiver<(f64, Option<f64>, String)>,
) {
    let mut last = -1.0_f64;
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    tick.tick().await;
    loop {
        let (done, total, message) = tokio::select! {
            told = progress.recv() => match told {
                Some(told) => told,
                None => return,
            },
            _ = tick.tick() => (last + 0.01, None, "working".to_owned()),
        };
        // The protocol wants progress to grow.
        last = if done > last { done } else { last + 0.01 };
        let mut told = ProgressNotificationParam::new(token.clone(), last).with_message(message);
        told.total = total;
        if peer.notify_progress(told).await.is_err() {
            return;
        }
    }
}

/// The answer of a tool: data and the same as text; an error is an answer too, with the contract's code.
fn tool_result(result: Result<Value, AppError>) -> CallToolResult {
    match result {
        Ok(value) => CallToolResult::structured(value),
        Err(error) => {
            let mut answer = error.answer();
            if let Some(advice) = assistant::agent::receipts::advice(&answer) {
                answer["advice"] = advice.into();
            }
            CallToolResult::structured_error(answer)
        }
    }
}

/// An error where the protocol has no result to put it in.
pub(super) fn protocol_error(error: &AppError) -> ErrorData {
    let data = Some(error.answer());
    match error.code {
        ErrorCode::Internal | ErrorCode::IoError => {
            ErrorData::resource_not_found(error.message.clone(), data)
        }
        _ => ErrorData::invalid_params(error.message.clone(), data),
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> InitializeResult {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .build();
        let server = Implementation::new("stet", env!("CARGO_PKG_VERSION")).with_title("Stet");
        let is_staged = self.shared.mode == assistant::workspace::EditMode::Stage;
        let instructions = format!("{INSTRUCTIONS}{}", if is_staged { STAGED } else { COMMITTED });
        InitializeResult::new(capabilities).with_server_info(server).with_instructions(instructions)
    }

    /// The versions with a session. 2026-07-28 has none, and with it go the client's roots and the news of changed files, which a server of
    /// local files lives on; clients of that version still speak these.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::V_2025_11_25))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.learn_roots(&context.peer).await;
        tokio::spawn(watch::watch(self.clone(), context.peer));
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        *self.has_roots.lock().await = false;
        self.learn_roots(&context.peer).await;
        let _ = context.peer.notify_resource_list_changed().await;
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::described(self.shared.mode)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.into_owned();
        if !tools::NAMES.contains(&name.as_str()) {
            let message = format!("There is no tool `{name}`; there are {}.", tools::NAMES.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let result = self.run(&context, move |work| tools::call(&work, &name, &arguments)).await;
        Ok(tool_result(result).into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = self.run(&context, |work| Ok(resources::listed(&work))).await;
        listed.map(ListResourcesResult::with_all_items).map_err(|error| protocol_error(&error))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self.run(&context, move |work| resources::read(&work, &request.uri)).await;
        read.map(ReadResourceResponse::from).map_err(|error| protocol_error(&error))
    }

    /// What the SDK could not read: a method that nobody knows, or a known one with parameters of another form.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        const KNOWN: [&str; 7] = [
            "tools/call",
            "tools/list",
            "resources/list",
            "resources/read",
            "resources/subscribe",
            "prompts/list",
            "prompts/get",
        ];
        let method = request.method;
        if KNOWN.contains(&method.as_str()) {
            let message = format!("The parameters of `{method}` are not as the protocol says.");
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, method, None))
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::listed()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        prompts::written(&request.name, &arguments).map(GetPromptResponse::from)
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = request.uri.clone();
        self.run(&context, move |work| resources::document_of(&work, &uri).map(|_| ()))
            .await
            .map_err(|error| protocol_error(&error))?;
        self.subscriptions().insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions().remove(&request.uri);
        Ok(())
    }
}
