/**
 * A Word document in a frame without scripts.
 *
 * The parsing happens here; what it builds is moved into a sandboxed srcdoc frame whose own policy allows no network and no
 * script, with its styles as adopted sheets. Links lose their addresses, embedded frames are dropped. WebKitGTK fires no events
 * inside such a frame, so the frame is as tall as its content and the box around it scrolls.
 */
import type { DocxPreview } from '../../backend/generated/DocxPreview';

export interface WordPage {
  frame: HTMLIFrameElement;
  /** The element of a paragraph by its address. */
  paragraph(at: string): HTMLElement | undefined;
  /** All addressed paragraphs in order. */
  paragraphs: { at: string; element: HTMLElement }[];
  /** Writes words into the stand-ins for left-out paragraphs. */
  gaps: { element: HTMLElement; count: number }[];
  zoom(scale: number): void;
  /** The natural width of the page in pixels. */
  width: number;
  /** Links and what they lead to. */
  links: Map<Element, string>;
}

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src blob: data:; font-src blob: data:; base-uri 'none'; form-action 'none'";

const OWN = `
html { background: transparent; }
body { margin: 0; background: transparent; }
.docx-wrapper { background: transparent !important; padding: 0 !important; display: block !important; }
.docx-wrapper > section.docx { margin: 0 auto 18px !important; box-shadow: 0 1px 5px rgb(0 0 0 / 22%) !important; }
.stet-changed { background: #fcf0d2 !important; box-shadow: -4px 0 0 #d79a1e; }
.stet-added { background: #dff2e3 !important; box-shadow: -4px 0 0 #2f9e55; }
.stet-removed { background: #fbe4e1 !important; box-shadow: -4px 0 0 #c8483a; }
.stet-here { outline: 2px solid #2f7fd8; outline-offset: 2px; }
.stet-gap { margin: 10px 0; padding: 8px; border: 1px dashed #8a8f88; color: #4c5552; font: 13px system-ui, sans-serif; text-align: center; }
::highlight(stet-before) { background: #f2b8b0; }
::highlight(stet-after) { background: #a9dcb4; }
`;

interface Node_ {
  tagName?: string;
  style?: unknown;
  href?: string;
  src?: string;
  children?: unknown[];
  [more: string]: unknown;
}

/** Draws a copy into a box; the box must stay in the document. */
export async function drawWord(box: HTMLElement, preview: DocxPreview, title: string): Promise<WordPage> {
  const docx = await import('docx-preview');
  const frame = await emptyFrame(box, title);
  const inside = frame.contentDocument;
  const view = frame.contentWindow as (Window & { CSSStyleSheet: typeof CSSStyleSheet }) | null;
  if (!inside || !view) throw new Error('The preview frame has no document.');
  const styles: string[] = [];
  const addresses = new Map<Element, string>();
  const options = { renderChanges: true, renderAltChunks: false, renderComments: false, ignoreLastRenderedPageBreak: true, h: guarded(docx.defaultOptions.h as Maker, styles, addresses) };
  const parsed = await docx.parseAsync(bytesOf(preview.package), options);
  const nodes = (await docx.renderDocument(parsed, options)) as Node[];
  inside.documentElement.lang = document.documentElement.lang;
  inside.title = title;
  const wrapper = inside.createElement('div');
  wrapper.className = 'docx-wrapper';
  for (const node of nodes) wrapper.append(inside.adoptNode(node));
  inside.body.append(wrapper);
  inside.adoptedStyleSheets = [...styles, OWN].map((text) => {
    const sheet = new view.CSSStyleSheet();
    sheet.replaceSync(text === OWN ? text : withFallback(text));
    return sheet;
  });
  return page(frame, inside, preview, addresses);
}

function page(frame: HTMLIFrameElement, inside: Document, preview: DocxPreview, links: Map<Element, string>): WordPage {
  const byAddress = new Map<string, HTMLElement>();
  const paragraphs: WordPage['paragraphs'] = [];
  preview.paragraphs.forEach((at, index) => {
    const element = inside.getElementById(`__pv_${index}`)?.closest('p');
    if (!at || !element) return;
    byAddress.set(at, element);
    paragraphs.push({ at, element });
  });
  const gaps = preview.gaps.flatMap((count, index) => {
    const element = inside.getElementById(`__gap_${index}`)?.closest('p');
    return element ? [{ element, count }] : [];
  });
  const width = Math.max(320, ...[...inside.querySelectorAll('section')].map((section) => section.getBoundingClientRect().width));
  const made: WordPage = {
    frame, paragraphs, gaps, width, links,
    paragraph: (at) => byAddress.get(at),
    zoom(scale) {
      inside.body.style.zoom = String(scale);
      fit(frame, inside);
    },
  };
  fit(frame, inside);
  for (const image of inside.images) image.addEventListener('load', () => fit(frame, inside));
  return made;
}

function fit(frame: HTMLIFrameElement, inside: Document): void {
  frame.style.height = '0';
  frame.style.height = `${Math.ceil(inside.documentElement.scrollHeight) + 4}px`;
}

async function emptyFrame(box: HTMLElement, title: string): Promise<HTMLIFrameElement> {
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-same-origin');
  frame.title = title;
  frame.srcdoc = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><body>`;
  const loaded = new Promise((done) => (frame.onload = done));
  box.replaceChildren(frame);
  await loaded;
  return frame;
}

type Maker = (made: unknown) => Node;

/** Wraps the renderer's element maker: no frames, no addresses, no style elements, pictures only from the document itself. */
function guarded(make: Maker, styles: string[], links: Map<Element, string>): Maker {
  return (given) => {
    if (given === null || typeof given !== 'object' || given instanceof Node) return make(given);
    const { tagName, ...rest } = given as Node_;
    switch (tagName) {
      case 'style':
        styles.push((rest.children ?? []).join(''));
        return document.createComment('style');
      case 'iframe':
      case 'object':
      case 'embed':
      case 'script':
      case 'link':
      case 'meta':
      case 'base':
      case 'form':
        return document.createComment(tagName);
      case 'a':
        return link(make, rest, links);
      default:
        return plain(make, { ...rest, tagName });
    }
  };
}

function link(make: Maker, { href, ...rest }: Node_, links: Map<Element, string>): Node {
  const made = plain(make, { ...rest, tagName: 'a' });
  if (made instanceof Element && typeof href === 'string' && href !== '') {
    links.set(made, href);
    made.setAttribute('title', href);
  }
  return made;
}

function plain(make: Maker, given: Node_): Node {
  const { style, src, ...rest } = given;
  const local = typeof src === 'string' && /^(blob:|data:image\/)/.test(src);
  const keep = { ...rest, ...(local ? { src } : {}), ...(typeof style === 'object' ? { style } : {}) };
  const made = make(keep);
  if (typeof style === 'string' && (made instanceof HTMLElement || made instanceof SVGElement)) made.style.cssText = withFallback(style);
  return made;
}

/** Families that stand in for those that the system lacks, in the order of likeness; then serif or not. */
const TWINS: Record<string, string> = { calibri: 'Carlito', cambria: 'Caladea', arial: '"Liberation Sans"', 'times new roman': '"Liberation Serif"', 'courier new': '"Liberation Mono"' };
const SERIF = /times|cambria|georgia|garamond|serif|roman|song|sun|ming|宋|明|mincho|batang|book/i;

/** A document names families without saying what to do when they are missing; the browser would take its own serif for all. */
export function withFallback(css: string): string {
  return css.replace(/(font-family|--docx-[\w-]+-font):\s*([^;}]+)/gi, (whole, property: string, list: string) => {
    if (/(^|,)\s*(sans-serif|serif|monospace)\s*$/i.test(list) || /var\(/.test(list)) return whole;
    const first = (list.split(',')[0] ?? '').replace(/["']/g, '').trim();
    const twin = TWINS[first.toLowerCase()];
    const generic = /courier|consol|mono/i.test(first) ? 'monospace' : SERIF.test(first) ? 'serif' : 'sans-serif';
    return `${property}: ${list.trim()}${twin ? `, ${twin}` : ''}, ${generic}`;
  });
}

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}
