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

/** In the order in which they are found, which is the order of preference for `auto`. */
export const knownServices: readonly KnownService[] = [
  {
    name: 'openai',
    type: 'openai-compatible',
    variables: ['OPENAI_API_KEY'],
    baseUrl: 'https://api.openai.com/v1',
    address: { variable: 'OPENAI_BASE_URL', suffix: '' },
    prefer: new RegExp(String.raw`^gpt-\d+(?:\.\d+)?o?${dated}$`),
  },
  {
    name: 'anthropic',
    type: 'anthropic',
    variables: ['ANTHROPIC_API_KEY'],
    baseUrl: 'https://api.anthropic.com/v1',
    // The service's own clients append the version themselves.
    address: { variable: 'ANTHROPIC_BASE_URL', suffix: '/v1' },
    prefer: /^claude-(?:[\d-]+-)?sonnet/,
  },
  {
    name: 'openrouter',
    type: 'openai-compatible',
    variables: ['OPENROUTER_API_KEY'],
    baseUrl: 'https://openrouter.ai/api/v1',
    address: null,
    prefer: /^openrouter\/auto$/,
  },
  {
    name: 'gemini',
    type: 'openai-compatible',
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    address: null,
    prefer: /^(?:models\/)?gemini-\d+(?:\.\d+)?-flash$/,
  },
  {
    name: 'mistral',
    type: 'openai-compatible',
    variables: ['MISTRAL_API_KEY'],
    baseUrl: 'https://api.mistral.ai/v1',
    address: null,
    prefer: /^mistral-(?:medium|large)-latest$/,
  },
  {
    name: 'groq',
    type: 'openai-compatible',
    variables: ['GROQ_API_KEY'],
    baseUrl: 'https://api.groq.com/openai/v1',
    address: null,
    prefer: /^(?:llama-[\d.]+-70b|openai\/gpt-oss-120b)/,
  },
  {
    name: 'deepseek',
    type: 'openai-compatible',
    variables: ['DEEPSEEK_API_KEY'],
    baseUrl: 'https://api.deepseek.com/v1',
    address: null,
    prefer: /^deepseek-chat$/,
  },
  {
    name: 'xai',
    type: 'openai-compatible',
    variables: ['XAI_API_KEY'],
    baseUrl: 'https://api.x.ai/v1',
    address: null,
    prefer: /^grok-\d+(?:\.\d+)?(?:-latest|-\d{4})?$/,
  },
  {
    name: 'together',
    type: 'openai-compatible',
    variables: ['TOGETHER_API_KEY'],
    baseUrl: 'https://api.together.xyz/v1',
    address: null,
    prefer: /instruct-turbo$/i,
  },
  {
    name: 'fireworks',
    type: 'openai-compatible',
    variables: ['FIREWORKS_API_KEY'],
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    address: null,
    prefer: /-instruct$/,
  },
  {
    name: 'cerebras',
    type: 'openai-compatible',
    variables: ['CEREBRAS_API_KEY'],
    baseUrl: 'https://api.cerebras.ai/v1',
    address: null,
    prefer: /^(?:llama|gpt-oss)/,
  },
];

/** A server of one's own that listens on a port by which it is known. */
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

/** What `auto` takes from a service, by the address under which it was configured; null for a server unknown to us. */
export function preferenceOf(baseUrl: string): RegExp | null {
  const origin = URL.canParse(baseUrl) ? new URL(baseUrl).origin : '';
  return knownServices.find((service) => new URL(service.baseUrl).origin === origin)?.prefer ?? null;
}
