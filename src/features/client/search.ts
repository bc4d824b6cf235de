import type { Json, JsonObject } from '../../kernel/kit/json.ts';
import type { PublishedApi } from './api.ts';
import { toSources, type Source } from './sources.ts';

const timeoutMs = 120_000;

/** Searches. `json` is the request as on the wire. Throws ApiError. */
export async function search(
  api: PublishedApi,
  json: JsonObject,
  signal: AbortSignal,
): Promise<{ readonly reply: Json; readonly results: readonly Source[] }> {
  const reply = await api.call({ method: 'POST', path: '/search', json, timeoutMs, signal });
  return { reply, results: toSources(reply, 'results') };
}
