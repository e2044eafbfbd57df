/**
 * The read-only source view and the side-by-side text view, both CodeMirror. They live in shadow roots: there their generated
 * style sheets are adopted sheets, which the strict content security policy allows.
 */
import { markdown as markdownLanguage } from '@codemirror/lang-markdown';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Change, MergeView, presentableDiff } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { TextDiff } from '../backend';

export interface SourceOptions {
  markdown: boolean;
  name: string;
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

function extensions(text: string, { markdown, name }: SourceOptions): Extension[] {
  const language = markdown && text.length < COLOUR_LIMIT ? [markdownLanguage(), syntaxHighlighting(colours)] : [];
  return [
    lineNumbers(), EditorState.readOnly.of(true), EditorView.editable.of(false), EditorView.lineWrapping, theme, language,
    EditorView.contentAttributes.of({ 'aria-label': name, tabindex: '0' }),
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

/** Two sides, scrolled together, unchanged stretches folded; the hunks come from the core. */
export function compareView(host: HTMLElement, compared: Compared, sides: [SourceOptions, SourceOptions], folded: string): MergeView {
  const root = shadow(host);
  const changes = compared.diff.hunks.flatMap((hunk) => refine(compared, hunk));
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

/** Longer hunks are marked whole: their words would cost more time than they help. */
const WORD_LIMIT = 4_000;

/** Word changes inside one hunk of whole lines. */
export function refine({ before, after }: Compared, [fromA, toA, fromB, toB]: [number, number, number, number]): Change[] {
  if (toA - fromA > WORD_LIMIT || toB - fromB > WORD_LIMIT || fromA === toA || fromB === toB) return [new Change(fromA, toA, fromB, toB)];
  const inner = presentableDiff(before.slice(fromA, toA), after.slice(fromB, toB));
  return inner.map((change) => new Change(change.fromA + fromA, change.toA + fromA, change.fromB + fromB, change.toB + fromB));
}
