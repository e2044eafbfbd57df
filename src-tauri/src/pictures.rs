//! Slides as PNG pictures, drawn by a library that knows PresentationML and nothing else.
//!
//! Only for looking at: what it draws is never saved. It works on untrusted input, so everything runs under `catch_unwind`, on a
//! worker thread, within the library's own limits; a slide that cannot be drawn is shown by the page as text.

mod faces;
mod fonts;

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
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
/// Any number: no deck is edited here.
const CLIENT: u64 = 1;

/// The decks somebody looks at.
#[derive(Default)]
pub(crate) struct Pictures {
    decks: Mutex<VecDeque<(u64, Arc<Mutex<Deck>>)>>,
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
    let shell = Arc::clone(shell);
    let drawn = tauri::async_runtime::spawn_blocking(move || draw_here(&shell, &request)).await;
    drawn.map_err(|error| cannot(&error.to_string()))?
}

fn draw_here(shell: &Shell, request: &SlidePicture) -> Result<Value, AppError> {
    let SlidePicture { file_id, side, proposal_id, slide, width } = request.clone();
    let bytes =
        shell.app.preview_bytes(&PreviewSlides { file_id, side, proposal_id }, &Default::default())?;
    let copy = documents::preview::slides::drawable(&bytes, &documents::Limits::default())
        .map_err(|error| cannot(&error.to_string()))?;
    let drawn = catch_unwind(AssertUnwindSafe(|| {
        let deck = shell.pictures.deck(&copy)?;
        let mut deck = deck.lock().unwrap_or_else(PoisonError::into_inner);
        deck.draw(slide, width.clamp(16, WIDEST))
    }));
    let png = drawn.map_err(|_| cannot("the drawing library failed"))?.map_err(|why| cannot(&why))?;
    Ok(json!({ "png": base64::engine::general_purpose::STANDARD.encode(png) }))
}

fn cannot(why: &str) -> AppError {
    AppError::new(ErrorCode::UnsupportedDocument, format!("The slide cannot be drawn: {why}."))
}

impl Pictures {
    /// The deck with these bytes, opened when it is not at hand.
    fn deck(&self, bytes: &[u8]) -> Result<Arc<Mutex<Deck>>, String> {
        let key = fingerprint(bytes);
        let mut decks = self.decks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = decks.iter().position(|(known, _)| *known == key) {
            let found = decks.remove(at).ok_or("a deck is missing")?;
            decks.push_back(found.clone());
            return Ok(found.1);
        }
        let deck = Arc::new(Mutex::new(Deck::open(bytes)?));
        decks.push_back((key, Arc::clone(&deck)));
        if decks.len() > DECKS_KEPT {
            decks.pop_front();
        }
        Ok(deck)
    }
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
