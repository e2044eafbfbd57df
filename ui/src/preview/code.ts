/**
 * The read-only source view and the side-by-side text view, both CodeMirror. They live in shadow roots: there their generated
 * style sheets are adopted sheets, which the strict content security policy allows.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { markdown as markdownLanguage } from '@codemirror/lang-markdown';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Change, MergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { TextDiff } from '../backend';

export interface SourceOptions {
  markdown: boolean;
  name: string;
  writable?: boolean;
}

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--surface)', fontSize: '12.5px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', userSelect: 'text', cursor: 'text' },
  '.cm-line': { padding: '0 12px 0 6px' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--ink-faint)', border: 'none', paddingLeft: '6px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-changedLine': { backgroundColor: 'var(--changed) !important' },
  '&.cm-merge-a .cm-changedLine': { backgroundColor: 'var(--removed) !important' },
  '&.cm-merge-b .cm-changedLine': { backgroundColor: 'var(--added) !important' },
  '&.cm-merge-a .cm-changedText': { background: 'var(--removed-strong)', borderRadius: '2px' },
  '&.cm-merge-b .cm-changedText': { background: 'var(--added-strong)', borderRadius: '2px' },
  // The library's own marks are glyphs that few fonts have.
  '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: 'none !important' },
  '.cm-collapsedLines': { background: 'var(--sunken)', color: 'var(--ink-soft)', padding: '3px 12px', fontFamily: 'var(--font)' },
});

const shell = `
:host { display: block; height: 100%; }
.cm-mergeView { height: 100%; overflow: auto; }
.cm-mergeViewEditors { min-height: 100%; }
.cm-mergeViewEditor + .cm-mergeViewEditor { border-left: 1px solid var(--line); }
`;

const colours = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '700' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: [tags.monospace, tags.processingInstruction], color: 'var(--ink-soft)' },
]);

/** Above this a language would cost more than its colours are worth. */
const COLOUR_LIMIT = 1 << 20;

function extensions(text: string, { markdown, name, writable = false }: SourceOptions): Extension[] {
  const language = markdown && text.length < COLOUR_LIMIT ? [markdownLanguage(), syntaxHighlighting(colours)] : [];
  return [
    lineNumbers(), EditorView.lineWrapping, theme, language, EditorView.contentAttributes.of({ 'aria-label': name, tabindex: '0' }),
    writable ? [history(), keymap.of([...defaultKeymap, ...historyKeymap])] : [EditorState.readOnly.of(true), EditorView.editable.of(false)],
  ];
}

/** A shadow root inside a host element, with our own few rules adopted. */
function shadow(host: HTMLElement): ShadowRoot {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(shell);
  root.adoptedStyleSheets = [sheet];
  root.replaceChildren();
  return root;
}

export function sourceView(host: HTMLElement, text: string, options: SourceOptions): EditorView {
  const root = shadow(host);
  return new EditorView({ doc: text, extensions: extensions(text, options), parent: root, root });
}

export interface Compared {
  before: string;
  after: string;
  diff: TextDiff;
}

/** Two sides, scrolled together, unchanged stretches folded; hunks and words come from the core. */
export function compareView(host: HTMLElement, compared: Compared, sides: [SourceOptions, SourceOptions], folded: string): MergeView {
  const root = shadow(host);
  const changes = changesOf(compared);
  const words = EditorState.phrases.of({ '$ unchanged lines': folded });
  return new MergeView({
    a: { doc: compared.before, extensions: [...extensions(compared.before, sides[0]), words] },
    b: { doc: compared.after, extensions: [...extensions(compared.after, sides[1]), words] },
    parent: root,
    root,
    gutter: false,
    collapseUnchanged: { margin: 3, minSize: 4 },
    diffConfig: { scanLimit: 500, override: () => changes },
  });
}

/** The core's differences, counted as the editor counts: there every line ending is one character. */
export function changesOf({ before, after, diff }: Compared): Change[] {
  const [a, b] = [counter(before), counter(after)];
  const pieces = diff.hunks.flatMap((hunk, index) => {
    const words = diff.words[index] ?? [];
    return words.length > 0 ? words : [hunk];
  });
  return pieces.map(([fromA, toA, fromB, toB]) => new Change(a(fromA), a(toA), b(fromB), b(toB)));
}

/** Turns offsets of a text into offsets of the same text with every CR LF as one character. */
function counter(text: string): (offset: number) => number {
  if (!text.includes('\r\n')) return (offset) => offset;
  const pairs = [...text.matchAll(/\r\n/g)].map((found) => found.index);
  return (offset) => {
    let low = 0;
    let high = pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[middle] ?? 0) + 1 < offset) low = middle + 1;
      else high = middle;
    }
    return offset - low;
  };
}
