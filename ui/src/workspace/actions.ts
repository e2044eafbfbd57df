/** Everything that can be done from the keyboard, once: the palette lists it, the shortcuts run it, the menus show it. */
import type { Context } from '../shared/context';
import type { Key } from '../i18n/index.svelte';

export interface Action {
  id: string;
  title: Key;
  /** `mod` is Command on a Mac and Control elsewhere. */
  shortcut?: string;
  run: () => void;
  available?: () => boolean;
}

export interface Doors {
  palette: () => void;
  settings: () => void;
  help: () => void;
}

const onMac = typeof navigator !== 'undefined' && navigator.platform.startsWith('Mac');

export function actions({ session, conversation, panels, preferences }: Context, doors: Doors): Action[] {
  const active = () => session.active;
  const waiting = () => session.waiting(session.activeId);
  const onActive = (run: (file_id: string) => unknown) => () => void (active() && run(active()?.file_id ?? ''));
  return [
    { id: 'open', title: 'documents.open.title', shortcut: 'mod+o', run: () => void session.openDialog() },
    { id: 'palette', title: 'palette.title', shortcut: 'mod+k', run: doors.palette },
    { id: 'composer', title: 'layout.focus.composer', shortcut: 'mod+l', run: () => focusComposer(panels) },
    { id: 'accept', title: 'review.accept.all', shortcut: 'mod+enter', available: () => (waiting()?.changes.length ?? 0) > 0, run: () => void accept() },
    { id: 'reject', title: 'review.reject', shortcut: 'mod+backspace', available: () => !!waiting(), run: () => void reject() },
    { id: 'undo', title: 'history.undo', shortcut: 'mod+alt+z', available: () => !!active(), run: onActive((id) => session.undo(id)) },
    { id: 'redo', title: 'history.redo', shortcut: 'mod+alt+shift+z', available: () => !!active(), run: onActive((id) => session.redo(id)) },
    { id: 'history', title: 'view.history', shortcut: 'mod+h', available: () => !!active(), run: () => (session.view = session.view === 'history' ? 'document' : 'history') },
    { id: 'next', title: 'review.next', shortcut: 'f8', available: () => !!waiting(), run: () => session.stepChange(1) },
    { id: 'previous', title: 'review.previous', shortcut: 'shift+f8', available: () => !!waiting(), run: () => session.stepChange(-1) },
    { id: 'stop', title: 'chat.stop', shortcut: 'mod+.', available: () => conversation.busy, run: () => void conversation.stop() },
    { id: 'new', title: 'chat.new', available: () => !conversation.busy, run: () => conversation.clear() },
    { id: 'documents', title: 'layout.toggle.documents', shortcut: 'mod+b', run: () => panels.toggle('showDocuments') },
    { id: 'assistant', title: 'layout.toggle.assistant', shortcut: 'mod+j', run: () => panels.toggle('showAssistant') },
    { id: 'wide', title: 'review.wide', shortcut: 'mod+shift+f', run: () => panels.toggleBoth() },
    { id: 'document-next', title: 'documents.next', shortcut: 'mod+pagedown', available: () => session.documents.length > 1, run: () => step(1) },
    { id: 'document-previous', title: 'documents.previous', shortcut: 'mod+pageup', available: () => session.documents.length > 1, run: () => step(-1) },
    { id: 'close', title: 'documents.close.active', shortcut: 'mod+w', available: () => !!active(), run: onActive((id) => session.close(id)) },
    { id: 'samples', title: 'documents.samples', run: () => void session.openSamples() },
    { id: 'settings', title: 'settings.title', shortcut: 'mod+,', run: doors.settings },
    { id: 'help', title: 'help.title', shortcut: 'f1', run: doors.help },
    { id: 'dark', title: 'settings.theme.dark', run: () => void preferences.set({ theme: 'dark' }) },
    { id: 'light', title: 'settings.theme.light', run: () => void preferences.set({ theme: 'light' }) },
    { id: 'english', title: 'settings.language.en', run: () => void preferences.set({ language: 'en' }) },
    { id: 'chinese', title: 'settings.language.zh', run: () => void preferences.set({ language: 'zh' }) },
  ];

  async function accept() {
    const proposal = waiting();
    if (proposal) await session.accept(proposal);
  }

  async function reject() {
    const proposal = waiting();
    if (proposal) await session.reject(proposal);
  }

  function step(by: number) {
    const at = session.documents.findIndex((document) => document.file_id === session.activeId);
    const next = session.documents[(at + by + session.documents.length) % session.documents.length];
    if (next) session.select(next.file_id);
  }
}

export function focusComposer(panels: Context['panels']): void {
  if (!panels.assistant) panels.toggle('showAssistant');
  requestAnimationFrame(() => document.getElementById('composer')?.focus());
}

/** The action whose shortcut these keys are, when it is available. */
export function pressed(all: Action[], event: KeyboardEvent): Action | undefined {
  const keys = [
    (onMac ? event.metaKey : event.ctrlKey) && 'mod', event.altKey && 'alt', event.shiftKey && 'shift', event.key.toLowerCase(),
  ].filter(Boolean).join('+');
  return all.find((action) => action.shortcut === keys && (action.available?.() ?? true));
}

/** A shortcut as it is printed on the keys. */
export function shown(shortcut: string): string[] {
  const names: Record<string, string> = onMac
    ? { mod: '⌘', alt: '⌥', shift: '⇧', enter: '↩', backspace: '⌫' }
    : { mod: 'Ctrl', alt: 'Alt', shift: 'Shift', enter: '↵', backspace: '⌫', pageup: 'PgUp', pagedown: 'PgDn' };
  return shortcut.split('+').map((key) => names[key] ?? key.toUpperCase());
}
