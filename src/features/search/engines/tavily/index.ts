import { keyedService } from '../../define-source.ts';
import { listAt, textAt } from '../../hits.ts';
import { defineWebEngine } from '../../web-engine.ts';
import { cutWords, notEmpty, publishedRange, toUrl } from '../../wire-query.ts';

const queryCharsMax = 400;
const hitsAskedMax = 20;
/** The service takes names, and refuses unknown ones; these are the same there and in CLDR. */
const countries = new Set(
  'AR AU AT BE BR CA CL CN CO DK EG FI FR DE GR HU IN ID IE IL IT JP KE MY MX NL NZ NG NO PK PE PH PL PT RO SA SG ZA KR ES SE CH TH UA AE GB US VN'.split(
    ' ',
  ),
);
/** Made when a request names a country: reading the names takes 20 ms of CPU time. */
const countryName = (code: string) =>
  new Intl.DisplayNames(['en'], { type: 'region' }).of(code)?.toLowerCase();

/** The Tavily search API. */
export const tavily = defineWebEngine({
  type: 'tavily',
  settings: keyedService,
  isPaid: true,
  kinds: ['web'],
  publicUrl: 'https://api.tavily.com',
  search: {
    request: ({ text, filters, place, hitsMax }, { base, key, nowMs }) => {
      const { from, to } = publishedRange(filters, nowMs);
      const country = place?.country ?? '';
      const json = JSON.stringify({
        query: cutWords(text, queryCharsMax),
        search_depth: 'basic',
        max_results: Math.min(hitsMax, hitsAskedMax),
        start_date: from ?? undefined,
        end_date: to ?? undefined,
        include_domains: notEmpty(filters.allowDomains),
        exclude_domains: notEmpty(filters.denyDomains),
        country: countries.has(country) ? countryName(country) : undefined,
      });
      const headers = { authorization: `Bearer ${key}` };
      return { url: toUrl(base, '/search', {}), headers, json };
    },
    read: (body) =>
      listAt(body, ['results']).map((result) => ({
        url: textAt(result, 'url'),
        title: textAt(result, 'title'),
        snippet: textAt(result, 'content'),
        date: textAt(result, 'published_date'),
      })),
  },
});
