/** The commands about endpoints (assistant::api::models_api and proxy_api), by their wire shapes. */

export interface ModelsAnswer {
  ok: boolean;
  provider: string;
  models: string[];
}

export interface ModelTestAnswer {
  ok: boolean;
  provider: string;
  model: string;
  answer: string;
  milliseconds: number;
  calls_tools: boolean;
  tools_problem?: string;
  prompt_tokens: number;
  completion_tokens: number;
}

export interface ProxyStatus {
  ok: boolean;
  running: boolean;
  url?: string;
  token?: string;
  provider?: string;
  upstream?: string;
  configuration?: { environment: string; json: string };
}

export interface ParamsOfEndpoints {
  'models.list': { provider: string };
  'models.test': { provider: string; model?: string };
  'proxy.start': { provider: string; port?: number; new_token?: boolean };
  'proxy.stop': Record<string, never>;
  'proxy.status': Record<string, never>;
}

export interface AnswersOfEndpoints {
  'models.list': ModelsAnswer;
  'models.test': ModelTestAnswer;
  'proxy.start': ProxyStatus;
  'proxy.stop': ProxyStatus;
  'proxy.status': ProxyStatus;
}
