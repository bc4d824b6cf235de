import type { UpstreamHandler, UpstreamReply } from './upstream.ts';
import {
  bytesOf,
  hasImages,
  nextTokens,
  textOfMessages,
  tokenize,
  type ModelOptions,
  type ModelToken,
} from './upstream-model.ts';

type Body = Readonly<Record<string, unknown>>;

export interface LocalScript extends ModelOptions {
  readonly vision?: boolean;
}

const entryOf = ({ text, logprob }: ModelToken) => ({ token: text, logprob, bytes: bytesOf(text) });

function chat(sent: Body, choice: object, more: object = {}) {
  return {
    id: 'chatcmpl-8f3e',
    object: 'chat.completion',
    created: 1_763_650_000,
    model: sent['model'],
    choices: [{ index: 0, message: { role: 'assistant', content: 'A' }, finish_reason: 'length', ...choice }],
    usage: { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101 },
    ...more,
  };
}

function models(ownedBy: string, more: object = {}): UpstreamReply {
  const model = { id: 'local-model', object: 'model', created: 1_763_650_000, owned_by: ownedBy, ...more };
  return { json: { object: 'list', data: [model] } };
}

const fastApiMissing: UpstreamReply = { status: 404, json: { detail: 'Not Found' } };

export interface VllmScript extends LocalScript {
  /** Templates of some models (Gemma 2) have no system role. */
  readonly systemRole?: boolean;
  /** `--max-logprobs`. */
  readonly maxLogprobs?: number;
  /** From 0.29 on. Older versions pass over the field. */
  readonly logprobTokenIds?: boolean;
  /** Ranks from here on are told as minus infinity, as with processed logprobs under a mask. */
  readonly maskedFrom?: number;
}

/** `vllm serve`: the cap is the operator's, minus infinity is written -9999.0, unknown fields are passed over. */
export function vllmHandler(script: VllmScript = {}): UpstreamHandler {
  const { maxLogprobs = 20, logprobTokenIds = true, maskedFrom = Number.POSITIVE_INFINITY } = script;
  const bad = (message: string, param: string | null = null): UpstreamReply => ({
    status: 400,
    json: { error: { message, type: 'BadRequestError', param, code: 400 } },
  });
  return ({ method, path, body }) => {
    const sent = body as unknown as Body;
    if (method === 'GET' && path === '/v1/models') {
      return models('vllm', { root: 'local-model', parent: null, max_model_len: 32_768, permission: [] });
    }
    if (method === 'POST' && path === '/tokenize') {
      const tokens = tokenize(String(sent['prompt']));
      return { json: { count: tokens.length, max_model_len: 32_768, tokens, token_strs: null } };
    }
    if (method !== 'POST' || path !== '/v1/chat/completions') return fastApiMissing;
    if (hasImages(sent['messages']) && script.vision !== true) {
      return bad('At most 0 image(s) may be provided in one prompt.');
    }
    if (script.systemRole === false && JSON.stringify(sent['messages']).includes('"role":"system"')) {
      return bad('System role not supported');
    }
    const top = Number(sent['top_logprobs'] ?? 0);
    if (top > maxLogprobs) {
      return bad(
        `Requested sample logprobs of ${top}, which is greater than max allowed: ${maxLogprobs}`,
        'logprobs',
      );
    }
    const wanted = logprobTokenIds ? (sent['logprob_token_ids'] as number[] | undefined) : undefined;
    if (wanted !== undefined && wanted.length > 128) {
      return bad(
        `Requested logprob_token_ids of length ${wanted.length}, which is greater than max allowed: 128`,
      );
    }
    const tokens = nextTokens(textOfMessages(sent['messages']), script).map((token, rank) =>
      rank < maskedFrom ? token : { ...token, logprob: -9999 },
    );
    const [sampled] = tokens;
    const listed =
      wanted === undefined
        ? tokens.slice(0, top)
        : tokens.filter((token) => token === sampled || wanted.includes(token.id));
    if (sampled === undefined || sent['logprobs'] !== true) return { json: chat(sent, { logprobs: null }) };
    const content = [{ ...entryOf(sampled), top_logprobs: listed.map(entryOf) }];
    return { json: chat(sent, { logprobs: { content }, stop_reason: null }, { prompt_logprobs: null }) };
  };
}

export interface SglangScript extends LocalScript {
  /** From 0.5.13 on a chat answer tells the ids of its prompt. */
  readonly promptIds?: boolean;
}

/** `sglang.launch_server`: no cap, `/generate` beside the interface, ids in `[logprob, id, text]`. */
export function sglangHandler(script: SglangScript = {}): UpstreamHandler {
  const prompts: string[] = [];
  return ({ method, path, body }) => {
    const sent = body as unknown as Body;
    if (method === 'GET' && path === '/v1/models')
      return models('sglang', { root: 'local-model', max_model_len: 32_768 });
    if (method === 'GET' && path === '/model_info') {
      return {
        json: {
          model_path: '/models/local-model',
          tokenizer_path: '/models/local-model',
          is_generation: true,
          preferred_sampling_params: null,
          weight_version: 'default',
          has_image_understanding: script.vision === true,
          has_audio_understanding: false,
        },
      };
    }
    if (method !== 'POST') return fastApiMissing;
    if (path === '/tokenize') {
      const tokens = tokenize(String(sent['prompt']));
      return { json: { tokens, count: tokens.length, max_model_len: 32_768 } };
    }
    if (path === '/generate') return { json: generated(sent, prompts, script) };
    if (path !== '/v1/chat/completions') return fastApiMissing;
    const prompt = textOfMessages(sent['messages']);
    const tokens = nextTokens(prompt, script);
    const listed = tokens.slice(0, Number(sent['top_logprobs'] ?? 0)).map(entryOf);
    const [sampled] = tokens;
    const content = sampled === undefined ? [] : [{ ...entryOf(sampled), top_logprobs: listed }];
    const told = script.promptIds !== false && sent['return_prompt_token_ids'] === true;
    const ids = told ? { prompt_token_ids: [1, 2, prompts.push(prompt) - 1] } : {};
    return { json: chat(sent, { logprobs: { content }, matched_stop: null, ...ids }, { metadata: {} }) };
  };
}

function generated(sent: Body, prompts: readonly string[], script: SglangScript) {
  const prompt = prompts[(sent['input_ids'] as number[]).at(-1) ?? 0] ?? '';
  const tokens = nextTokens(prompt, script);
  const byId = new Map(tokens.map((token) => [token.id, token.logprob]));
  const [sampled] = tokens;
  return {
    text: sampled?.text,
    output_ids: [sampled?.id],
    meta_info: {
      id: 'd1',
      finish_reason: { type: 'length', length: 1 },
      prompt_tokens: 100,
      completion_tokens: 1,
      cached_tokens: 99,
      output_token_logprobs: [[sampled?.logprob, sampled?.id, null]],
      output_token_ids_logprobs: [
        (sent['token_ids_logprob'] as number[]).map((id) => [byId.get(id), id, null]),
      ],
      e2e_latency: 0.01,
    },
  };
}

export interface LlamaScript extends LocalScript {
  readonly slots?: number;
  /** Older builds have no `/tokenize` that helps, and so no bias. */
  readonly tokenizes?: boolean;
}

/** `llama-server`: `n_probs` without a cap, exact labels through `logit_bias` and `post_sampling_probs`. */
export function llamaHandler({ slots = 4, tokenizes = true, ...script }: LlamaScript = {}): UpstreamHandler {
  const missing: UpstreamReply = {
    status: 404,
    json: { error: { code: 404, message: 'File Not Found', type: 'not_found_error' } },
  };
  return ({ method, path, body }) => {
    const sent = body as unknown as Body;
    if (method === 'GET' && path === '/props') {
      const settings = { id: 0, id_task: -1, n_ctx: 4_096, params: { n_probs: 0, temperature: 0.8 } };
      const modalities = { vision: script.vision === true, audio: false };
      return {
        json: { default_generation_settings: settings, total_slots: slots, modalities, build_info: 'b9992' },
      };
    }
    if (method === 'GET' && path === '/v1/models')
      return models('llamacpp', { meta: { vocab_type: 2, n_vocab: 152_064 } });
    if (method === 'POST' && path === '/tokenize' && tokenizes)
      return { json: { tokens: tokenize(String(sent['content'])) } };
    if (method !== 'POST' || path !== '/v1/chat/completions') return missing;
    if (hasImages(sent['messages']) && script.vision !== true) {
      const message =
        'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj';
      return { status: 500, json: { error: { code: 500, message, type: 'server_error' } } };
    }
    const bias = new Map(sent['logit_bias'] as [number, number][] | undefined);
    const after = sent['post_sampling_probs'] === true;
    const tokens = biased(nextTokens(textOfMessages(sent['messages']), script), bias);
    const entries = tokens.slice(0, Number(sent['top_logprobs'] ?? 0)).map((token) => ({
      id: token.id,
      token: token.text,
      bytes: bytesOf(token.text),
      // float32, as the server computes them
      ...(after ? { prob: Math.fround(Math.exp(token.logprob)) } : { logprob: Math.fround(token.logprob) }),
    }));
    const content = [{ ...entries[0], [after ? 'top_probs' : 'top_logprobs']: entries }];
    return { json: chat(sent, { logprobs: { content } }, { timings: { prompt_n: 1, cache_n: 99 } }) };
  };
}

function biased(tokens: readonly ModelToken[], bias: ReadonlyMap<number, number>): readonly ModelToken[] {
  if (bias.size === 0) return tokens;
  const raised = tokens.map((token) => ({ ...token, logprob: token.logprob + (bias.get(token.id) ?? 0) }));
  const most = Math.max(...raised.map(({ logprob }) => logprob));
  const total = most + Math.log(raised.reduce((sum, { logprob }) => sum + Math.exp(logprob - most), 0));
  return raised
    .map((token) => ({ ...token, logprob: token.logprob - total }))
    .sort((a, b) => b.logprob - a.logprob || a.id - b.id);
}

export interface OllamaScript extends LocalScript {
  /** Models without a thinking mode refuse the field. */
  readonly thinks?: boolean;
}

/** Ollama from 0.12.11 on: at most 20, and the sampler's filters are applied before the logprobs are taken. */
export function ollamaHandler(script: OllamaScript = {}): UpstreamHandler {
  const bad = (message: string, status = 400): UpstreamReply => ({ status, json: { error: message } });
  return ({ method, path, body }) => {
    const sent = body as unknown as Body;
    if (method === 'GET' && path === '/api/version') return { json: { version: '0.35.1' } };
    if (method === 'GET' && path === '/v1/models') return models('library');
    if (method === 'POST' && path === '/api/show') {
      const capabilities = ['completion', ...(script.vision === true ? ['vision'] : [])];
      return { json: { modelfile: '', details: { family: 'qwen3' }, capabilities } };
    }
    if (method !== 'POST' || path !== '/api/chat') return { status: 404, text: '404 page not found' };
    const top = Number(sent['top_logprobs']);
    if (top > 20) return bad('top_logprobs must be between 0 and 20');
    if ('think' in sent && script.thinks !== true) return bad('"local-model" does not support thinking');
    const options = sent['options'] as { top_k?: number; temperature?: number };
    const all = nextTokens(textOfMessages(sent['messages']), script);
    // What the default filters leave of a distribution: tokens are missing, and the rest is raised.
    const kept = options.top_k === 0 && options.temperature === 1 ? all : all.slice(0, 3);
    const listed = kept.slice(0, top).map(entryOf);
    return {
      json: {
        model: sent['model'],
        created_at: '2026-11-20T14:00:00.000000Z',
        message: { role: 'assistant', content: kept[0]?.text ?? '' },
        done: true,
        done_reason: 'length',
        total_duration: 1,
        prompt_eval_count: 100,
        eval_count: 1,
        logprobs: [{ ...listed[0], top_logprobs: listed }],
      },
    };
  };
}
