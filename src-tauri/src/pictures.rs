//! Slides as PNG pictures, drawn by a library that knows PresentationML and nothing else.
//!
//! Only for looking at: what it draws is never saved. It works on untrusted input, so everything runs under `catch_unwind`, on a
//! worker thread, within the library's own limits and within a time; a slide that cannot be drawn is shown by the page as text.

mod faces;
mod fonts;

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::Duration,
};

use assistant::{
    api::{AppError, error::ErrorCode},
    preview::wire::PreviewSlides,
};
use base64::Engine;
use pptx_edit::DeckSession;
use pptx_raster::{
    AssetMap, Background, GlyphCache, ImageCache, RenderOptions, RenderResources, render_slide_shared,
};
use pptx_render::SlideRenderer;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::shell::Shell;

/// The page asks for one slide, counted from 0, about this many pixels wide.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SlidePicture {
    file_id: String,
    side: String,
    #[serde(default)]
    proposal_id: Option<String>,
    slide: usize,
    width: u32,
}

/// Two sides of a review, and the document itself.
const DECKS_KEPT: usize = 3;
/// Sharper than this no screen shows a slide.
const WIDEST: u32 = 3_840;
/// A slide takes some ten milliseconds; one that takes this long is shown as text, and a new thread draws the others.
const PATIENCE: Duration = Duration::from_secs(20);
/// Any number: no deck is edited here.
const CLIENT: u64 = 1;

/// The way to the one thread that draws: the library's decks cannot move between threads.
#[derive(Default)]
pub(crate) struct Pictures {
    jobs: Mutex<Option<Sender<Job>>>,
}

struct Job {
    deck: Vec<u8>,
    slide: usize,
    width: u32,
    answer: oneshot::Sender<Result<Vec<u8>, String>>,
}

/// One deck, laid out with the fonts that its slides have asked for so far.
struct Deck {
    session: DeckSession,
    renderer: SlideRenderer,
    fonts: fonts::Wanted,
    glyphs: GlyphCache,
    images: ImageCache,
}

/// Draws a slide; `{"png": "<base 64>"}`.
pub(crate) async fn draw(shell: &Arc<Shell>, request: SlidePicture) -> Result<Value, AppError> {
    let SlidePicture { file_id, side, proposal_id, slide, width } = request;
    let reader = Arc::clone(shell);
    let read = tauri::async_runtime::spawn_blocking(move || {
        let bytes =
            reader.app.preview_bytes(&PreviewSlides { file_id, side, proposal_id }, &Default::default())?;
        let copy = documents::preview::slides::drawable(&bytes, &documents::Limits::default());
        copy.map_err(|error| cannot(&error.to_string()))
    });
    let deck = read.await.map_err(|error| cannot(&error.to_string()))??;
    let (answer, drawn) = oneshot::channel();
    shell.pictures.ask(Job { deck, slide, width: width.clamp(16, WIDEST), answer });
    let Ok(drawn) = tokio::time::timeout(PATIENCE, drawn).await else {
        shell.pictures.give_up();
        return Err(cannot("it takes too long"));
    };
    let png = drawn.map_err(|_| cannot("the drawing thread has ended"))?.map_err(|why| cannot(&why))?;
    Ok(json!({ "png": base64::engine::general_purpose::STANDARD.encode(png) }))
}

fn cannot(why: &str) -> AppError {
    AppError::new(ErrorCode::UnsupportedDocument, format!("The slide cannot be drawn: {why}."))
}

impl Pictures {
    /// Hands a job to the drawing thread, which begins with the first one.
    fn ask(&self, job: Job) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = jobs.get_or_insert_with(|| {
            let (sender, receiver) = channel();
            // If no thread can start, the jobs are dropped and each asker is told.
            drop(thread::Builder::new().name("slides".into()).spawn(move || work(&receiver)));
            sender
        });
        // A job that cannot be sent is dropped, and its asker told.
        drop(sender.send(job));
    }

    /// Leaves a thread that does not come back to itself; it ends with its job, and the next job gets another one.
    fn give_up(&self) {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// Draws one job after the other.
fn work(jobs: &Receiver<Job>) {
    let mut decks: VecDeque<(u64, Deck)> = VecDeque::new();
    for Job { deck, slide, width, answer } in jobs {
        if answer.is_closed() {
            continue;
        }
        let key = fingerprint(&deck);
        let known = decks.iter().position(|(known, _)| *known == key).and_then(|at| decks.remove(at));
        // Whatever state the deck was in, it is gone with a panic.
        let drawn = without_panic(|| {
            let mut opened = match known {
                Some((_, opened)) => opened,
                None => Deck::open(&deck)?,
            };
            let png = opened.draw(slide, width);
            Ok((opened, png))
        });
        let outcome = drawn.and_then(|(opened, png)| {
            decks.push_back((key, opened));
            png
        });
        if decks.len() > DECKS_KEPT {
            decks.pop_front();
        }
        drop(answer.send(outcome));
    }
}

/// A panic of the drawing library is a failure like any other.
fn without_panic<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("the drawing library failed".to_owned()))
}

fn fingerprint(bytes: &[u8]) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

impl Deck {
    fn open(bytes: &[u8]) -> Result<Deck, String> {
        let session = DeckSession::open(bytes, CLIENT).map_err(|error| error.to_string())?;
        let mut renderer = SlideRenderer::new();
        let fonts = fonts::Wanted::begin(&mut renderer);
        Ok(Deck { session, renderer, fonts, glyphs: GlyphCache::default(), images: ImageCache::default() })
    }

    fn draw(&mut self, index: usize, width: u32) -> Result<Vec<u8>, String> {
        let scope = self.session.slide_scope(index).map_err(|error| error.to_string())?;
        let package = self.session.package();
        let mut laid_out =
            self.renderer.layout_scoped_slide(package, &scope).map_err(|error| error.to_string())?;
        let families: Vec<String> =
            laid_out.font_substitutions.iter().map(|wish| wish.requested_family.clone()).collect();
        let text = serde_json::to_string(&laid_out.display_list).unwrap_or_default();
        // A second pass, once the faces that the slide asked for are at hand; the glyphs of the first are for the old faces.
        if self.fonts.provide(&mut self.renderer, &families, &text) {
            self.glyphs = GlyphCache::default();
            laid_out =
                self.renderer.layout_scoped_slide(package, &scope).map_err(|error| error.to_string())?;
        }
        let list = &laid_out.display_list;
        let media: AssetMap<'_> =
            package.media.iter().map(|part| (part.part_path.as_str(), part.bytes.as_slice())).collect();
        let resources = RenderResources::new(self.renderer.fonts(), &media)
            .with_label_font(self.renderer.fallback_font());
        let scale = width as f32 / list.width.max(1.0);
        let options = RenderOptions { scale, background: Background::Slide, ..RenderOptions::default() };
        let drawn = render_slide_shared(list, &resources, &options, &mut self.glyphs, &mut self.images)?;
        Ok(drawn.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KICKOFF: &[u8] = include_bytes!("../../samples/Kickoff.pptx");

    fn drawn(pictures: &Pictures, deck: &[u8], slide: usize) -> Result<Vec<u8>, String> {
        let (answer, picture) = oneshot::channel();
        pictures.ask(Job { deck: deck.to_vec(), slide, width: 320, answer });
        picture.blocking_recv().unwrap()
    }

    #[test]
    fn a_panic_is_an_answer() {
        let answer = without_panic(|| -> Result<(), String> { panic!("as a parser might") });
        assert_eq!(answer, Err("the drawing library failed".to_owned()));
        assert_eq!(without_panic(|| Ok(1)), Ok(1));
    }

    #[test]
    fn what_cannot_be_drawn_does_not_stop_what_can() {
        let pictures = Pictures::default();
        assert!(drawn(&pictures, b"no deck at all", 0).is_err());
        assert!(drawn(&pictures, KICKOFF, 99).is_err());
        let png = drawn(&pictures, KICKOFF, 1).unwrap();
        assert!(png.starts_with(b"\x89PNG"));
        // After a thread that does not answer, another one draws.
        pictures.give_up();
        assert_eq!(drawn(&pictures, KICKOFF, 1).unwrap(), png);
    }
}
