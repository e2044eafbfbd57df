/** The user's guide: short pages by task, one set for each language. */
import type { Language } from '../i18n/index.svelte';

const english = import.meta.glob<string>('./en/*.md', { query: '?raw', import: 'default', eager: true });
const chinese = import.meta.glob<string>('./zh/*.md', { query: '?raw', import: 'default', eager: true });

export interface Page {
  id: string;
  title: string;
  text: string;
}

/** Pages in their order; the first line of each is its title. */
export function pages(language: Language): Page[] {
  const all = language === 'zh' ? chinese : english;
  return Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, text]) => ({
    id: /\d+_(\w+)\.md$/.exec(path)?.[1] ?? path,
    title: text.split('\n', 1)[0]?.replace(/^#\s*/, '') ?? '',
    text,
  }));
}
