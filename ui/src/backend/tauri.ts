/** The real backend: one Tauri command and one channel. */
import { Channel, invoke } from '@tauri-apps/api/core';
import { asError, type AppEvent, type Backend, type Begin, type Command, type Commands } from './index';

export function tauriBackend(): Backend {
  return {
    async begin(listener) {
      const channel = new Channel<AppEvent>();
      channel.onmessage = listener;
      return await ask<Begin>('shell.begin', { channel });
    },
    async call<C extends Command>(command: C, params: Commands[C][0]) {
      return await ask<Commands[C][1]>(command, params);
    },
  };
}

async function ask<Answer>(command: string, params: unknown): Promise<Answer> {
  try {
    return await invoke<Answer>('call', { request: { command, params } });
  } catch (thrown) {
    throw asError(thrown);
  }
}
