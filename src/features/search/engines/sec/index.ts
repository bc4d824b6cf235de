import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { publicSource } from '../../define-source.ts';
import { listAt, objectAt, textAt, textsAt, type RawHit } from '../../hits.ts';
import { defineWebEngine } from '../../web-engine.ts';
import { cutWords, publishedRange, toDay, toUrl } from '../../wire-query.ts';

/** Where the documents stand. */
const archiveUrl = 'https://www.sec.gov';
const queryCharsMax = 300;
/** The full text is searchable from here on. */
const firstDay = '2001-01-01';

/** Filings at the SEC by full text. The SEC wants `outbound.user_agent` to name who asks, with an address of mail. */
export const sec = defineWebEngine({
  type: 'sec',
  settings: publicSource,
  kinds: ['sec'],
  publicUrl: 'https://efts.sec.gov',
  search: {
    request: ({ text, filters }, { base, nowMs }) => {
      const { from, to } = publishedRange(filters, nowMs);
      const hasRange = from !== null || to !== null;
      const url = toUrl(base, '/LATEST/search-index', {
        q: cutWords(text, queryCharsMax),
        dateRange: hasRange ? 'custom' : null,
        startdt: hasRange ? (from ?? firstDay) : null,
        enddt: hasRange ? (to ?? toDay(nowMs)) : null,
      });
      return { url };
    },
    // A hundred filings come at once.
    read: (body, { hitsMax }) => listAt(body, ['hits', 'hits']).flatMap(toFiling).slice(0, hitsMax),
  },
});

function toFiling(hit: JsonObject): readonly RawHit[] {
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
    period === null ? null : `period ending ${period}`,
    filed === null ? null : `filed ${filed}`,
    description,
  ];
  return [
    {
      url: `${archiveUrl}/Archives/edgar/data/${Number(cik)}/${accession.replaceAll('-', '')}/${file}`,
      title: `${names[0] ?? 'Unnamed company'}: ${form}${period === null ? '' : `, ${period}`}`,
      snippet: facts.filter((fact) => fact !== null).join(', '),
      date: filed,
      language: 'en',
    },
  ];
}
