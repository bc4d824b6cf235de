/** A hosted service that is known by the customary name of its key. */
export interface KnownService {
  /** Name of the provider that is made of it, and prefix of its models. */
  readonly name: string;
  readonly type: 'openai-compatible' | 'anthropic';
  /** Variables that may hold its key, the first that is set counts. */
  readonly variables: readonly string[];
  readonly baseUrl: string;
  /** Variable that may hold another address, and what is appended to that. */
  readonly address: { readonly variable: string; readonly suffix: string } | null;
  /** Which of its models `auto` takes: current, general and not the most expensive. The newest of them is chosen. */
  readonly prefer: RegExp;
}

const dated = String.raw`(?:-\d{4}-\d\d-\d\d|-\d{8})?`;

/** Known services, in order of preference for `auto`. */
export const knownServices: readonly KnownService[] = [
  {
    ...service(
      'openai',
      'https://api.openai.com/v1',
      new RegExp(String.raw`^gpt-\d+(?:\.\d+)?o?${dated}$`),
      'OPENAI_API_KEY',
    ),
    address: { variable: 'OPENAI_BASE_URL', suffix: '' },
  },
  // The service's own clients append the version themselves.
  {
    ...service(
      'anthropic',
      'https://api.anthropic.com/v1',
      /^claude-(?:[\d-]+-)?sonnet/,
      'ANTHROPIC_API_KEY',
    ),
    type: 'anthropic',
    address: { variable: 'ANTHROPIC_BASE_URL', suffix: '/v1' },
  },
  service('openrouter', 'https://openrouter.ai/api/v1', /^openrouter\/auto$/, 'OPENROUTER_API_KEY'),
  service(
    'gemini',
    'https://generativelanguage.googleapis.com/v1beta/openai',
    /^(?:models\/)?gemini-\d+(?:\.\d+)?-flash$/,
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
  ),
  service('mistral', 'https://api.mistral.ai/v1', /^mistral-(?:medium|large)-latest$/, 'MISTRAL_API_KEY'),
  service(
    'groq',
    'https://api.groq.com/openai/v1',
    /^(?:llama-[\d.]+-70b|openai\/gpt-oss-120b)/,
    'GROQ_API_KEY',
  ),
  service('deepseek', 'https://api.deepseek.com/v1', /^deepseek-chat$/, 'DEEPSEEK_API_KEY'),
  service('xai', 'https://api.x.ai/v1', /^grok-\d+(?:\.\d+)?(?:-latest|-\d{4})?$/, 'XAI_API_KEY'),
  service('together', 'https://api.together.xyz/v1', /instruct-turbo$/i, 'TOGETHER_API_KEY'),
  service('fireworks', 'https://api.fireworks.ai/inference/v1', /-instruct$/, 'FIREWORKS_API_KEY'),
  service('cerebras', 'https://api.cerebras.ai/v1', /^(?:llama|gpt-oss)/, 'CEREBRAS_API_KEY'),
];

function service(name: string, baseUrl: string, prefer: RegExp, ...variables: string[]): KnownService {
  return { name, type: 'openai-compatible', variables, baseUrl, address: null, prefer };
}

export interface KnownLocalServer {
  readonly name: string;
  readonly port: number;
}

export const knownLocalServers: readonly KnownLocalServer[] = [
  { name: 'ollama', port: 11_434 },
  { name: 'lmstudio', port: 1_234 },
  { name: 'llama-server', port: 8_080 },
  { name: 'vllm', port: 8_000 },
  { name: 'sglang', port: 30_000 },
];

/** The models that `auto` prefers of a service with this address; null for an unknown server. */
export function preferenceOf(baseUrl: string): RegExp | null {
  const origin = URL.canParse(baseUrl) ? new URL(baseUrl).origin : '';
  return knownServices.find((service) => new URL(service.baseUrl).origin === origin)?.prefer ?? null;
}
