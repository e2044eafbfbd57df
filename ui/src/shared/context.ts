/** What every component may reach: one value, put into the tree by App. */
import { getContext, setContext } from 'svelte';
import type { Conversation } from '../chat/conversation.svelte';
import type { Preferences } from '../settings/preferences.svelte';
import type { Session } from '../workspace/session.svelte';
import type { Panels } from './panels.svelte';

export interface Context {
  session: Session;
  conversation: Conversation;
  panels: Panels;
  preferences: Preferences;
}

const KEY = Symbol('stet');

export function provide(context: Context): void {
  setContext(KEY, context);
}

export function use(): Context {
  return getContext<Context>(KEY);
}
