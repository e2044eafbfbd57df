/**
 * Picking a paragraph and selecting words in a page that runs no script and hears no events: the box around the frame catches the
 * pointer, and the frame's document is asked what lies under it.
 */
import type { WordPage } from './page';

export interface Picked {
  at: string;
  element: HTMLElement;
}

interface Caret {
  node: Node;
  offset: number;
}

/** The point of a pointer event in the frame's own coordinates. */
function inside(page: WordPage, event: MouseEvent): { x: number; y: number } {
  const place = page.frame.getBoundingClientRect();
  return { x: event.clientX - place.left, y: event.clientY - place.top };
}

export function elementUnder(page: WordPage, event: MouseEvent): Element | undefined {
  const { x, y } = inside(page, event);
  return page.frame.contentDocument?.elementFromPoint(x, y) ?? undefined;
}

export function paragraphUnder(page: WordPage, event: MouseEvent): Picked | undefined {
  const element = elementUnder(page, event)?.closest('p');
  return page.paragraphs.find((entry) => entry.element === element);
}

/** The next or the previous paragraph; the first one when none was picked. */
export function stepped(page: WordPage, from: Picked | undefined, by: 1 | -1): Picked | undefined {
  if (!from) return page.paragraphs[0];
  const at = page.paragraphs.findIndex((entry) => entry.at === from.at);
  return page.paragraphs[Math.min(page.paragraphs.length - 1, Math.max(0, at + by))];
}

export function caretUnder(page: WordPage, event: MouseEvent): Caret | undefined {
  const { x, y } = inside(page, event);
  const document = page.frame.contentDocument;
  const range = document?.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : undefined;
}

export function select(page: WordPage, from: Caret | undefined, to: Caret | undefined): void {
  const selection = page.frame.contentDocument?.getSelection();
  if (selection && from && to) selection.setBaseAndExtent(from.node, from.offset, to.node, to.offset);
}

export function selectedText(page: WordPage): string {
  return page.frame.contentDocument?.getSelection()?.toString() ?? '';
}

/** Where an element lies in the box that scrolls. */
export function placeOf(page: WordPage, element: HTMLElement): { left: number; top: number; width: number; height: number } {
  const rect = element.getBoundingClientRect();
  const zoom = zoomOf(element.ownerDocument);
  return { left: page.frame.offsetLeft + rect.left * zoom, top: page.frame.offsetTop + rect.top * zoom, width: rect.width * zoom, height: rect.height * zoom };
}

/** WebKit measures inside a zoomed body in the body's own pixels, Chromium in those of the screen: the body is as wide as its window. */
function zoomOf(inside: Document): number {
  const width = inside.body.getBoundingClientRect().width;
  return width > 0 ? inside.documentElement.clientWidth / width : 1;
}
