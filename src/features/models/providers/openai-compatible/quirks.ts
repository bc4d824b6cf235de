import type { JsonObject } from '../../../../kernel/kit/json.ts';

/** How one server deviates from the common interface. */
export interface Quirks {
  readonly limit: 'max_tokens' | 'max_completion_tokens';
  /** `stream_options.include_usage`; where it is false usage comes unasked. */
  readonly usageOption: boolean;
  /** Whether it refuses to answer in one piece, as services do of models that think. */
  readonly streamsOnly: boolean;
  /** Whether it names the stop sequence that it found; without, none are sent: the end would look natural. */
  readonly reportsStop: boolean;
  /** `json_object_schema`: the schema stands in the field of `json_object`, as llama-cpp-python has it. */
  readonly format: 'json_schema' | 'json_object_schema' | 'json_object' | 'none';
  readonly toolRequired: 'required' | 'any';
  readonly strictTools: boolean;
  readonly topK: boolean;
  readonly seed: 'seed' | 'random_seed';
  readonly effort: EffortWire;
  readonly images: boolean;
  /** `file` parts. */
  readonly documents: boolean;
  /** Continuing an assistant message: `last` as it is, `continue` by vLLM's parameters, `prefix` by a mark on it. */
  readonly prefill: 'none' | 'last' | 'continue' | 'prefix';
  /** A text may begin with `<think>`: there is no parser for it, or it is off. */
  readonly thinkTags: boolean;
  readonly callIdLength: number | null;
  /** `prompt_cache_key`: requests with the same one go where their prompt may be kept. */
  readonly cacheKey: boolean;
  /** Whether signatures of calls go back with them: Gemini refuses calls without, others may refuse the field. */
  readonly callSignatures: boolean;
  /** Whether calls that it did not sign are marked as such: Gemini refuses them otherwise, from its third version on. */
  readonly marksUnsigned: boolean;
  /** Whether `reasoning_content` goes back with what an assistant said: calls without it are refused. */
  readonly reasoningBack: boolean;
  /** Whether `reasoning_details` go back with what an assistant said. */
  readonly detailsBack: boolean;
  /** The interface with which the server counts tokens; null if it has none. */
  readonly counting: 'vllm' | 'llama-server' | null;
  readonly hidden: RegExp | null;
}

type EffortWire =
  /** OpenAI's own scale. */
  | 'openai'
  /** `low`, `medium` and `high` alone. */
  | 'low-to-high'
  /** As above; the template of an open model has a switch of its own against thinking. */
  | 'template'
  | 'openrouter'
  | 'deepseek'
  | 'none';

/** Behaviour that every server can be expected to have. */
const common: Quirks = {
  limit: 'max_tokens',
  usageOption: true,
  streamsOnly: false,
  reportsStop: false,
  format: 'json_schema',
  toolRequired: 'required',
  strictTools: false,
  topK: false,
  seed: 'seed',
  effort: 'low-to-high',
  images: true,
  documents: false,
  prefill: 'none',
  thinkTags: true,
  callIdLength: null,
  cacheKey: false,
  callSignatures: true,
  marksUnsigned: false,
  reasoningBack: false,
  detailsBack: true,
  counting: null,
  hidden: /embed|rerank|whisper|moderation/i,
};

const hosted: Quirks = { ...common, thinkTags: false, callSignatures: false, detailsBack: false };

const openai: Quirks = {
  ...hosted,
  limit: 'max_completion_tokens',
  strictTools: true,
  effort: 'openai',
  documents: true,
  cacheKey: true,
  hidden:
    /embedding|whisper|tts|dall-e|moderation|image|transcribe|realtime|audio|sora|babbage|davinci|instruct/i,
};

const vllm: Quirks = {
  ...common,
  reportsStop: true,
  topK: true,
  effort: 'template',
  prefill: 'continue',
  counting: 'vllm',
};

const deepseek: Quirks = {
  ...hosted,
  format: 'json_object',
  effort: 'deepseek',
  images: false,
  reasoningBack: true,
};

const families = {
  openai,
  azure: openai,
  openrouter: {
    ...hosted,
    strictTools: true,
    topK: true,
    effort: 'openrouter',
    detailsBack: true,
    documents: true,
    prefill: 'last',
  },
  deepseek,
  'deepseek-beta': {
    ...deepseek,
    strictTools: true,
    prefill: 'prefix',
  },
  groq: {
    ...hosted,
    limit: 'max_completion_tokens',
    hidden: /whisper|tts|guard|playai|orpheus/i,
  },
  gemini: { ...hosted, callSignatures: true, hidden: /embedding|imagen|veo|aqa|tts|image|audio|live/i },
  mistral: {
    ...hosted,
    usageOption: false,
    toolRequired: 'any',
    seed: 'random_seed',
    effort: 'none',
    prefill: 'prefix',
    callIdLength: 9,
    hidden: /embed|moderation|ocr|transcribe|voxtral.{0,40}tts/i,
  },
  xai: { ...hosted, hidden: /image|video/i },
  vllm,
  sglang: { ...vllm, counting: null },
  'llama-server': { ...common, topK: true, effort: 'template', prefill: 'last', counting: 'llama-server' },
  ollama: { ...common, prefill: 'last' },
  'lm-studio': { ...common, topK: true },
  unknown: common,
} as const satisfies Record<string, Quirks>;

export type ServerFamily = keyof typeof families;

export function quirksOf(family: ServerFamily): Quirks {
  return families[family];
}

const hosts: readonly (readonly [host: string, family: ServerFamily])[] = [
  ['api.openai.com', 'openai'],
  ['openai.azure.com', 'azure'],
  ['services.ai.azure.com', 'azure'],
  ['cognitiveservices.azure.com', 'azure'],
  ['openrouter.ai', 'openrouter'],
  ['api.deepseek.com', 'deepseek'],
  ['api.groq.com', 'groq'],
  ['generativelanguage.googleapis.com', 'gemini'],
  ['aiplatform.googleapis.com', 'gemini'],
  ['api.mistral.ai', 'mistral'],
  ['api.x.ai', 'xai'],
];

export function familyOfUrl(baseUrl: string): ServerFamily {
  const { hostname, pathname } = new URL(baseUrl);
  const family = hosts.find(([host]) => hostname === host || hostname.endsWith(`.${host}`))?.[1] ?? 'unknown';
  return family === 'deepseek' && pathname.includes('/beta') ? 'deepseek-beta' : family;
}

const owners: Readonly<Record<string, ServerFamily>> = {
  vllm: 'vllm',
  sglang: 'sglang',
  llamacpp: 'llama-server',
  library: 'ollama',
  organization_owner: 'lm-studio',
};

/** Servers of one's own are known by an entry of their list of models. */
export function familyOfEntry(entry: JsonObject): ServerFamily | null {
  const owner = entry['owned_by'];
  return typeof owner === 'string' ? (owners[owner] ?? null) : null;
}
