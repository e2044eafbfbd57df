/** The settings as the window uses them. The page applies language and theme; everything else is kept for the backend. */
import { systemLanguage, words, type Language } from '../i18n/index.svelte';
import type { Session } from '../workspace/session.svelte';

export interface Choices {
  language: 'system' | Language;
  theme: 'system' | 'light' | 'dark';
}

export class Preferences {
  choices: Choices = $state({ language: 'system', theme: 'system' });
  private readonly dark = typeof matchMedia === 'undefined' ? undefined : matchMedia('(prefers-color-scheme: dark)');

  constructor(private readonly session: Session) {
    this.dark?.addEventListener('change', () => this.show());
    this.show();
  }

  load(): Promise<void> {
    return Promise.resolve();
  }

  set(change: Partial<Choices>): Promise<void> {
    Object.assign(this.choices, change);
    this.show();
    if (!change.theme) return Promise.resolve();
    return this.session.backend.call('shell.theme', { theme: change.theme }).then(() => {});
  }

  private show(): void {
    const { language, theme } = this.choices;
    words.use(language === 'system' ? systemLanguage() : language);
    const dark = theme === 'dark' || (theme === 'system' && this.dark?.matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  }
}
