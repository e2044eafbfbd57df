/** Endpoints that many people have, as a beginning: address and id; everything can be changed. Local ones need no key. */
import type { Provider } from '../backend/generated/Provider';

export interface Preset {
  id: string;
  name: string;
  base_url: string;
  needs_key: boolean;
}

export const presets: Preset[] = [
  { id: 'openai', name: 'OpenAI', base_url: 'https://api.openai.com/v1', needs_key: true },
  { id: 'deepseek', name: 'DeepSeek', base_url: 'https://api.deepseek.com/v1', needs_key: true },
  { id: 'moonshot', name: 'Moonshot (Kimi)', base_url: 'https://api.moonshot.cn/v1', needs_key: true },
  { id: 'dashscope', name: 'DashScope (Qwen)', base_url: 'https://dashscope.aliyuncs.com/compatible-mode/v1', needs_key: true },
  { id: 'zhipu', name: 'Zhipu (GLM)', base_url: 'https://open.bigmodel.cn/api/paas/v4', needs_key: true },
  { id: 'openrouter', name: 'OpenRouter', base_url: 'https://openrouter.ai/api/v1', needs_key: true },
  { id: 'ollama', name: 'Ollama', base_url: 'http://127.0.0.1:11434/v1', needs_key: false },
  { id: 'lmstudio', name: 'LM Studio', base_url: 'http://127.0.0.1:1234/v1', needs_key: false },
];

/** A provider from a preset, under an id that is not taken. */
export function fromPreset(preset: Preset, taken: string[]): Provider {
  let id = preset.id;
  for (let number = 2; taken.includes(id); number += 1) id = `${preset.id}-${number}`;
  return { id, name: preset.name, base_url: preset.base_url, models: [], needs_key: preset.needs_key, headers: [] };
}
