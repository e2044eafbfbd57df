/** The parts of a document that can be kept out of the assistant, named as the core names them (agent/kept_out.rs). */
import type { Backend, DocumentInfo } from '../backend';
import { t } from '../i18n/index.svelte';

export interface Part {
  /** `sheet:Data`, `slide:256`, `section:A > B`, `notes`. */
  name: string;
  title: string;
  /** How deep it lies: a section in a section. */
  depth: number;
}

export async function partsOf(backend: Backend, document: DocumentInfo): Promise<Part[]> {
  const { file_id, format } = document;
  switch (format) {
    case 'xlsx': {
      const { sheets } = await backend.call('preview.sheet', { file_id, side: 'current', rows: [1, 1], columns: [1, 1] } as never);
      return sheets.map(({ name }) => ({ name: `sheet:${name}`, title: name, depth: 0 }));
    }
    case 'pptx': {
      const { slides } = await backend.call('preview.slides', { file_id, side: 'current' });
      const all = slides.map((slide, index) => ({ name: `slide:${slide.id}`, title: `${t('view.slide', { number: index + 1 })}${slide.title ? `: ${slide.title}` : ''}`, depth: 0 }));
      return slides.some((slide) => slide.notes) ? [...all, { name: 'notes', title: t('parts.notes'), depth: 0 }] : all;
    }
    case 'docx':
    case 'text': {
      const { nodes } = await backend.call('documents.outline', { file_id, budget: 32 << 20 });
      return format === 'docx' ? headings(nodes as never) : sections(nodes as never);
    }
  }
}

interface HeadingNode {
  at: string;
  text: string;
  level?: number;
}

/** Headings of a Word document with everything under them. */
export function headings(nodes: HeadingNode[]): Part[] {
  const above: { level: number; text: string }[] = [];
  return distinct(nodes.flatMap(({ at, text, level }) => {
    if (level === undefined || !at.startsWith('p')) return [];
    while ((above.at(-1)?.level ?? 0) >= level) above.pop();
    above.push({ level, text: text.trim() });
    return text.trim() === '' ? [] : [{ name: `section:${above.map((heading) => heading.text).join(' > ')}`, title: text.trim(), depth: above.length - 1 }];
  }));
}

/** Sections of a Markdown document. */
export function sections(nodes: { section?: string }[]): Part[] {
  return distinct(nodes.flatMap(({ section }) => {
    if (!section) return [];
    const path = section.split(' > ');
    return [{ name: `section:${section}`, title: path.at(-1) ?? section, depth: path.length - 1 }];
  }));
}

function distinct(parts: Part[]): Part[] {
  return [...new Map(parts.map((part) => [part.name, part])).values()];
}

/** `Data!B2:D9`, `'My sheet'!C:D` */
export function isRange(text: string): boolean {
  return /^(?:'(?:[^']|'')+'|[^!']+)!\$?[A-Za-z]{1,3}(?:\$?\d+)?(?::\$?[A-Za-z]{1,3}(?:\$?\d+)?)?$/.test(text.trim());
}
