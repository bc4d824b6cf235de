import type { Json } from '../../../../kernel/kit/json.ts';
import type { Hit } from '../../engine.ts';
import { listAt, textAt, textsAt, toHits } from '../../hits.ts';

export function fromResponse(body: Json, nowMs: number): readonly Hit[] {
  const raw = listAt(body, ['results']).map((result) => ({
    url: textAt(result, 'url'),
    title: textAt(result, 'title'),
    snippet: [...textsAt(result, 'highlights'), textAt(result, 'text') ?? ''].join(' '),
    date: textAt(result, 'publishedDate'),
  }));
  return toHits(raw, nowMs);
}
