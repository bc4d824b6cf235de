import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import type { Hit } from '../../engine.ts';
import { listAt, objectAt, textAt, textsAt, toHits } from '../../hits.ts';

const authorsMax = 5;

export function fromResponse(body: Json, nowMs: number): readonly Hit[] {
  const raw = listAt(body, ['message', 'items']).map((work) => {
    const [title = null] = textsAt(work, 'title');
    const [venue = ''] = textsAt(work, 'container-title');
    return {
      url: textAt(work, 'URL')?.replace(/^http:/, 'https:') ?? null,
      title,
      snippet: [toAuthors(work), venue, textAt(work, 'abstract') ?? '']
        .filter((part) => part !== '')
        .join('. '),
      date: toDate(work),
    };
  });
  return toHits(raw, nowMs);
}

function toAuthors(work: JsonObject): string {
  const names = listAt(work, ['author'], true).map((author) =>
    [textAt(author, 'given'), textAt(author, 'family') ?? textAt(author, 'name')]
      .filter((part) => part !== null)
      .join(' '),
  );
  return names.length > authorsMax ? `${names.slice(0, authorsMax).join(', ')} and others` : names.join(', ');
}

/** `[[2020, 5, 12]]`. A year alone, or a month, is no day and none is made up for it. */
function toDate(work: JsonObject): string | null {
  const parts = objectAt(work, 'published')?.['date-parts'];
  const [first] = Array.isArray(parts) ? (parts as readonly Json[]) : [];
  const [year, month, day] = Array.isArray(first) ? (first as readonly Json[]) : [];
  if (typeof year !== 'number' || typeof month !== 'number' || typeof day !== 'number') return null;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}
