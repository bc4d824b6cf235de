import type { UpstreamHandler, UpstreamReply } from './upstream.ts';
import {
  bytesOf,
  hasImages,
  nextTokens,
  textOfMessages,
  type ModelOptions,
  type ModelToken,
} from './upstream-model.ts';

export interface OpenAiScript extends ModelOptions {
  /** Most `top_logprobs`; OpenAI's is 20, Azure's was 5. */
  readonly cap?: number;
  /** False for models that reason: they refuse logprobs, `max_tokens` and temperatures. */
  readonly logprobs?: boolean;
  readonly vision?: boolean;
  /** Takes only `max_completion_tokens`. */
  readonly completionTokens?: boolean;
  /** Refuses without naming the number. */
  readonly vague?: boolean;
  /** What the model writes under a schema, by label. */
  readonly sample?: (labels: readonly string[], attempt: number) => string;
  /** Changes the listed tokens before they go out. */
  readonly distort?: (tokens: readonly ModelToken[]) => readonly ModelToken[];
}

type Body = Readonly<Record<string, unknown>>;

const fields = new Set(
  'model messages max_tokens max_completion_tokens temperature logprobs top_logprobs response_format seed n stream'.split(
    ' ',
  ),
);

export function openAiError(
  message: string,
  param: string | null,
  code: string | null,
  status = 400,
): UpstreamReply {
  return { status, json: { error: { message, type: 'invalid_request_error', param, code } } };
}

/** `api.openai.com` in the part that is used here: strict about fields, `top_logprobs` up to 20. */
export function openAiHandler(script: OpenAiScript = {}): UpstreamHandler {
  let sampled = 0;
  return ({ method, path, body }) => {
    if (method === 'GET' && path === '/v1/models') {
      const model = { id: 'gpt-x', object: 'model', created: 1_715_367_049, owned_by: 'system' };
      return { json: { object: 'list', data: [model] } };
    }
    if (method !== 'POST' || path !== '/v1/chat/completions') {
      return openAiError(`Invalid URL (${method} ${path})`, null, null, 404);
    }
    const sent = body as unknown as Body;
    const refusal = refuse(sent, script);
    if (refusal !== null) return refusal;
    const format = sent['response_format'] as { json_schema: { schema: { required: string[] } } } | undefined;
    if (format !== undefined) {
      const write = script.sample ?? evenSample;
      return { json: chatReply(sent, write(format.json_schema.schema.required, sampled++), null, 'stop') };
    }
    const tokens = nextTokens(textOfMessages(sent['messages']), script);
    const listed = (script.distort ?? ((all) => all))(tokens.slice(0, Number(sent['top_logprobs'] ?? 0)));
    return {
      json: chatReply(sent, tokens[0]?.text ?? '', sent['logprobs'] === true ? listed : null, 'length'),
    };
  };
}

function refuse(sent: Body, script: OpenAiScript): UpstreamReply | null {
  const { cap = 20, logprobs = true, vision = true, completionTokens = false, vague = false } = script;
  const unknown = Object.keys(sent).find((name) => !fields.has(name));
  if (unknown !== undefined)
    return openAiError(`Unrecognized request argument supplied: ${unknown}`, null, null);
  if ((completionTokens || !logprobs) && 'max_tokens' in sent) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    return openAiError(message, 'max_tokens', 'unsupported_parameter');
  }
  if (!logprobs && 'temperature' in sent) {
    const message =
      "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.";
    return openAiError(message, 'temperature', 'unsupported_value');
  }
  if (!logprobs && 'logprobs' in sent) {
    return openAiError('You are not allowed to request logprobs from this model', null, null, 403);
  }
  const top = Number(sent['top_logprobs'] ?? 0);
  if (top > cap) {
    const message = vague
      ? 'Invalid request.'
      : `Invalid 'top_logprobs': integer above maximum value. Expected a value <= ${cap}, but got ${top} instead.`;
    return openAiError(message, 'top_logprobs', 'integer_above_max_value');
  }
  if (!vision && hasImages(sent['messages'])) {
    return openAiError(
      'Invalid content type. image_url is only supported by certain models.',
      'messages',
      null,
    );
  }
  return null;
}

function chatReply(sent: Body, content: string, listed: readonly ModelToken[] | null, finish: string) {
  const entries = (listed ?? []).map(({ text, logprob }) => ({ token: text, logprob, bytes: bytesOf(text) }));
  const position = { ...entries[0], top_logprobs: entries };
  return {
    id: 'chatcmpl-C1',
    object: 'chat.completion',
    created: 1_763_650_000,
    model: sent['model'],
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null, annotations: [] },
        logprobs: listed === null ? null : { content: [position], refusal: null },
        finish_reason: finish,
      },
    ],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 1,
      total_tokens: 101,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    },
    service_tier: 'default',
    system_fingerprint: 'fp_44709d6fcb',
  };
}

function evenSample(labels: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(labels.map((label) => [label, 1 / labels.length] as const)));
}

/** A server with the older interface alone: no chat, `logprobs` up to 5 as a map. */
export function completionsHandler(script: ModelOptions = {}): UpstreamHandler {
  return ({ method, path, body }) => {
    if (method !== 'POST' || path !== '/v1/completions') return openAiError('Not Found', null, null, 404);
    const { model, prompt, logprobs } = body as unknown as {
      model: string;
      prompt: string;
      logprobs: number;
    };
    if (logprobs > 5) {
      const message = "Invalid value for 'logprobs': must be less than or equal to 5.";
      return openAiError(message, 'logprobs', null);
    }
    const listed = nextTokens(prompt, script).slice(0, logprobs);
    const [first] = listed;
    const choice = {
      text: first?.text,
      index: 0,
      logprobs: {
        tokens: [first?.text],
        token_logprobs: [first?.logprob],
        top_logprobs: [Object.fromEntries(listed.map(({ text, logprob }) => [text, logprob] as const))],
        text_offset: [prompt.length],
      },
      finish_reason: 'length',
    };
    return { json: { id: 'cmpl-C1', object: 'text_completion', created: 1, model, choices: [choice] } };
  };
}
