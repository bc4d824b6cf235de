import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import type { Hit } from '../../engine.ts';
import { listAt, objectAt, textAt, textsAt, toHits, type RawHit } from '../../hits.ts';

/** A hundred filings at most come at once; `archive` is where the documents stand. */
export function fromResponse(body: Json, archive: string, hitsMax: number, nowMs: number): readonly Hit[] {
  const raw = listAt(body, ['hits', 'hits']).flatMap((hit) => toRaw(hit, archive));
  return toHits(raw, nowMs).slice(0, hitsMax);
}

function toRaw(hit: JsonObject, archive: string): readonly RawHit[] {
  const source = objectAt(hit, '_source');
  const [accession = '', file = ''] = (textAt(hit, '_id') ?? '').split(':');
  const [cik = ''] = textsAt(source, 'ciks');
  const isWhole = /^\d{10}-\d{2}-\d{6}$/.test(accession) && /^[\w.-]+$/.test(file) && /^\d{1,10}$/.test(cik);
  if (!isWhole) return [];
  const names = textsAt(source, 'display_names').map((name) =>
    name
      .replace(/\(CIK \d+\)/, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
  const form = textAt(source, 'form') ?? textAt(source, 'file_type') ?? 'Filing';
  const period = textAt(source, 'period_ending');
  const filed = textAt(source, 'file_date');
  const description = textAt(source, 'file_description');
  const facts = [
    `${form} of ${names.join('; ')}`,
    ...(period === null ? [] : [`period ending ${period}`]),
    ...(filed === null ? [] : [`filed ${filed}`]),
    ...(description === null ? [] : [description]),
  ];
  return [
    {
      url: `${archive}/Archives/edgar/data/${Number(cik)}/${accession.replaceAll('-', '')}/${file}`,
      title: `${names[0] ?? 'Unnamed company'}: ${form}${period === null ? '' : `, ${period}`}`,
      snippet: facts.join(', '),
      date: filed,
      language: 'en',
    },
  ];
}
