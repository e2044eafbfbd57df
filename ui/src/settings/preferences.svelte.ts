/** The settings as the window uses them: read once, changed piece by piece, shown at once. The backend keeps them. */
import type { AppEvent } from '../backend';
import type { Settings } from '../backend/generated/Settings';
import { systemLanguage, words } from '../i18n/index.svelte';
import type { Session } from '../workspace/session.svelte';

export type Changes = Partial<Settings>;

const FIRST: Settings = {
  language: 'system', theme: 'system', review: 'ask', author: '', providers: [], recent: [], kept_out: {},
  retention: { days: 180, per_file: 500, megabytes: 4096 },
  turn: { steps: 24, tokens: 0, seconds: 900, inline_characters: 500 },
};

export class Preferences {
  settings: Settings = $state(FIRST);
  private readonly dark = typeof matchMedia === 'undefined' ? undefined : matchMedia('(prefers-color-scheme: dark)');

  constructor(private readonly session: Session) {
    this.dark?.addEventListener('change', () => this.show());
    this.show();
  }

  async load(): Promise<void> {
    await this.session.attempt(async () => this.take(await this.session.backend.call('settings.get', {})));
  }

  async set(changes: Changes): Promise<void> {
    const plain = $state.snapshot(changes);
    await this.session.attempt(async () => this.take(await this.session.backend.call('settings.update', { changes: plain as never })));
  }

  hear(event: AppEvent): void {
    if (event.event === 'settings_changed') void this.load();
  }

  private take(settings: Settings): void {
    const themeChanged = settings.theme !== this.settings.theme;
    this.settings = settings;
    this.show();
    // The frame of the window and the system's dialogs follow too; a system that cannot do it is no error.
    if (themeChanged) void this.session.backend.call('shell.theme', { theme: settings.theme }).catch(() => {});
  }

  private show(): void {
    const { language, theme } = this.settings;
    words.use(language === 'system' ? systemLanguage() : language);
    const dark = theme === 'dark' || (theme === 'system' && this.dark?.matches);
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  }
}
