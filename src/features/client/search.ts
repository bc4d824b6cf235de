import type { Json, JsonObject } from '../../kernel/kit/json.ts';
import { listAt, textAt } from '../../kernel/kit/json-path.ts';
import type { PublishedApi } from './api.ts';

/** A page that an answer or a search rests on. */
export interface Source {
  readonly title: string;
  readonly url: string;
  /** `2026-11-20`; null where the page has no date. */
  readonly date: string | null;
  readonly snippet: string;
}

/** The sources of a reply that has them under this name. */
export function toSources(reply: Json | undefined, name: string): readonly Source[] {
  return listAt(reply, name).map((found) => ({
    title: textAt(found, 'title') ?? '',
    url: textAt(found, 'url') ?? '',
    date: textAt(found, 'date') ?? textAt(found, 'last_updated'),
    snippet: textAt(found, 'snippet') ?? '',
  }));
}

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
