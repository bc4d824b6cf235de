import type { Json } from '../../kernel/kit/json.ts';
import { listAt, textAt } from './wire.ts';

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
