/** The real backend: one Tauri command and one channel. */
import { Channel, invoke } from '@tauri-apps/api/core';
import { systemLanguage } from '../i18n/index.svelte';
import { asError, type Answer, type AppEvent, type Backend, type Begin, type Command, type Params } from './index';

export function tauriBackend(): Backend {
  return {
    async begin(listener) {
      const channel = new Channel<AppEvent>();
      channel.onmessage = listener;
      return await ask<Begin>('shell.begin', { channel, language: systemLanguage() });
    },
    async call<C extends Command>(command: C, params: Params<C>) {
      return await ask<Answer<C>>(command, params);
    },
  };
}

async function ask<Told>(command: string, params: unknown): Promise<Told> {
  try {
    return await invoke<Told>('call', { request: { command, params } });
  } catch (thrown) {
    throw asError(thrown);
  }
}
