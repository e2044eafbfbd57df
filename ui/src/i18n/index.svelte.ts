/** The words of the window: one table per language, and the language in use. No component holds a sentence of its own. */
import { en } from './en';
import { zh } from './zh';

export type Key = keyof typeof en;
export type Language = 'en' | 'zh';
export type Values = Record<string, string | number>;

const tables: Record<Language, Record<Key, string>> = { en, zh };

/** The language the system asks for: Chinese for any `zh`, else English. */
export function systemLanguage(preferred: readonly string[] = navigator.languages): Language {
  return preferred[0]?.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

class Words {
  language: Language = $state('en');

  use(language: Language): void {
    this.language = language;
    if (typeof document !== 'undefined') document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  }
}

export const words = new Words();

/**
 * A sentence of the table. `{name}` takes a value; `{count|one|many}` picks by number (Chinese has one form and writes no choice).
 */
export function t(key: Key, values: Values = {}): string {
  return fill(tables[words.language][key], values);
}

/** Whether the table has a sentence under a name that was built from a code. */
export function has(key: string): key is Key {
  return key in en;
}

export function fill(sentence: string, values: Values): string {
  return sentence.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (whole, name: string, one?: string, many?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    if (one === undefined) return String(value);
    return (Number(value) === 1 ? one : (many ?? '')).replace('#', number(Number(value)));
  });
}

function locale(): string {
  return words.language === 'zh' ? 'zh-CN' : 'en';
}

export function number(value: number): string {
  return new Intl.NumberFormat(locale()).format(value);
}

export function time(moment: string | Date): string {
  const date = new Date(moment);
  const today = new Date().toDateString() === date.toDateString();
  const day: Intl.DateTimeFormatOptions = today ? {} : { month: 'short', day: 'numeric' };
  return new Intl.DateTimeFormat(locale(), { ...day, hour: '2-digit', minute: '2-digit' }).format(date);
}

export function bytes(size: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  let unit = 0;
  let value = size;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${number(Math.round(value * (value < 10 && unit > 0 ? 10 : 1)) / (value < 10 && unit > 0 ? 10 : 1))} ${units[unit]}`;
}
