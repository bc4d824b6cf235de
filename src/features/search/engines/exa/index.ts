import { listAt, textAt, textsAt } from '../../hits.ts';
import { keyedService } from '../../define-source.ts';
import { defineWebEngine } from '../../web-engine.ts';
import { cutWords, notEmpty, publishedRange, toUrl } from '../../wire-query.ts';

const queryCharsMax = 2_000;
/** Length of the text of each page; more costs more there and is read from the page itself here. */
const textCharsMax = 1_500;

/** The Exa search API. */
export const exa = defineWebEngine({
  type: 'exa',
  settings: keyedService,
  isPaid: true,
  kinds: ['web'],
  publicUrl: 'https://api.exa.ai',
  search: {
    request: ({ text, filters, place, safe, hitsMax }, { base, key, nowMs }) => {
      const { from, to } = publishedRange(filters, nowMs);
      const json = JSON.stringify({
        query: cutWords(text, queryCharsMax),
        type: 'auto',
        numResults: hitsMax,
        moderation: safe,
        startPublishedDate: from === null ? undefined : `${from}T00:00:00.000Z`,
        endPublishedDate: to === null ? undefined : `${to}T23:59:59.999Z`,
        includeDomains: notEmpty(filters.allowDomains),
        // The service takes one of the two lists.
        excludeDomains: filters.allowDomains.length > 0 ? undefined : notEmpty(filters.denyDomains),
        userLocation: place?.country ?? undefined,
        contents: { text: { maxCharacters: textCharsMax } },
      });
      return { url: toUrl(base, '/search', {}), headers: { 'x-api-key': key }, json };
    },
    read: (body) =>
      listAt(body, ['results']).map((result) => ({
        url: textAt(result, 'url'),
        title: textAt(result, 'title'),
        snippet: [...textsAt(result, 'highlights'), textAt(result, 'text') ?? ''].join(' '),
        date: textAt(result, 'publishedDate'),
      })),
  },
});
