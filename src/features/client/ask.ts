import type { Json, JsonObject } from '../../kernel/kit/json.ts';
import { parseJson } from '../../kernel/kit/json-parse.ts';
import { ApiError, type PublishedApi } from './api.ts';
import { toSources, type Source } from './search.ts';
import { at, listAt, numberAt, textAt } from '../../kernel/kit/json-path.ts';

export interface Asked {
  readonly question: string;
  readonly model: string;
  /** Further fields of the request, as on the wire. */
  readonly fields: JsonObject;
}

export interface Answer {
  readonly text: string;
  /** In the order of the markers: `[1]` is the first. */
  readonly sources: readonly Source[];
  readonly reply: Json;
}

type AnswerEvent =
  /** What the model does before it answers. */
  | { readonly type: 'step'; readonly thought: string }
  | { readonly type: 'sources'; readonly sources: readonly Source[] }
  | { readonly type: 'text'; readonly text: string }
  /** The last one. */
  | { readonly type: 'answer'; readonly answer: Answer };

/** To the first byte, and between two events; the server writes a comment every 15 s. Unit: ms. */
const silenceMs = 900_000;
const depthMax = 128;

/** Asks one question and streams its answer. Throws ApiError, also for a stream that ends without its end. */
export async function* ask(
  api: PublishedApi,
  { question, model, fields }: Asked,
  signal: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const events = api.stream({
    method: 'POST',
    path: '/chat/completions',
    json: {
      ...fields,
      model,
      messages: [{ role: 'user', content: question }],
      stream: true,
      stream_mode: 'concise',
    },
    timeoutMs: silenceMs,
    signal,
  });
  for await (const batch of events) {
    for (const { data } of batch) {
      if (data === '[DONE]') return;
      const chunk = parseChunk(data);
      yield* toEvents(chunk);
    }
  }
  throw new ApiError('The answer broke off before its end.');
}

function parseChunk(data: string): Json {
  let chunk: Json;
  try {
    chunk = parseJson(Buffer.from(data), { depthMax }).value;
  } catch (error) {
    throw new ApiError('The stream holds something that is not JSON.', { cause: error });
  }
  const message = textAt(chunk, 'error', 'message');
  if (message === null) return chunk;
  throw new ApiError(message, { status: numberAt(chunk, 'error', 'code') });
}

function* toEvents(chunk: Json): Generator<AnswerEvent> {
  const kind = textAt(chunk, 'object');
  for (const step of listAt(chunk, 'choices', 0, 'delta', 'reasoning_steps')) {
    yield { type: 'step', thought: textAt(step, 'thought') ?? '' };
  }
  if (kind === 'chat.reasoning.done') yield { type: 'sources', sources: toSources(chunk, 'search_results') };
  const text = textAt(chunk, 'choices', 0, 'delta', 'content') ?? '';
  if (text !== '') yield { type: 'text', text };
  if (kind === 'chat.completion.done') yield { type: 'answer', answer: toAnswer(chunk) };
}

/** Of a whole reply or of the last chunk of a stream. */
export function toAnswer(reply: Json): Answer {
  return {
    text: textAt(at(reply, 'choices', 0), 'message', 'content') ?? '',
    sources: toSources(reply, 'search_results'),
    reply,
  };
}
