import type { Json } from '../../../../kernel/kit/json.ts';
import type { Hit } from '../../engine.ts';
import { listAt, textAt, toHits } from '../../hits.ts';

export function fromResponse(body: Json, nowMs: number): readonly Hit[] {
  const raw = listAt(body, ['results']).map((result) => ({
    url: textAt(result, 'url'),
    title: textAt(result, 'title'),
    snippet: textAt(result, 'content'),
    date: textAt(result, 'published_date'),
  }));
  return toHits(raw, nowMs);
}
