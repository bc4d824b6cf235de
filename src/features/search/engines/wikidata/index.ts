import { isJsonObject } from '../../../../kernel/kit/json.ts';
import { ResponseError } from '../../engine-exchange.ts';
import { publicSource } from '../../define-source.ts';
import { joinFacts, listAt, numberAt, objectAt, textAt, textsAt } from '../../hits.ts';
import { defineWebEngine } from '../../web-engine.ts';
import { cutWords, onlyLanguage, toUrl } from '../../wire-query.ts';

/** The search takes 300 characters, the condition on humans included. */
const queryCharsMax = 250;
const aliasesMax = 5;

/** Wikidata: people of public interest. */
export const wikidata = defineWebEngine({
  type: 'wikidata',
  settings: publicSource,
  kinds: ['people'],
  publicUrl: 'https://www.wikidata.org',
  search: {
    // People only: items that are an instance (P31) of human (Q5).
    request: ({ text, filters, hitsMax }, { base }) => {
      const words = cutWords(text, queryCharsMax).replaceAll(/["~*?:\\!|()[\]{}]/g, ' ');
      const url = toUrl(base, '/w/api.php', {
        action: 'query',
        format: 'json',
        formatversion: 2,
        generator: 'search',
        gsrsearch: `${words} haswbstatement:P31=Q5`,
        gsrlimit: hitsMax,
        prop: 'entityterms',
        wbetterms: 'label|alias|description',
        wbetlanguage: onlyLanguage(filters) ?? 'en',
      });
      return { url };
    },
    // Pages come in any order, with the place that each had. Without any the answer has no `query`.
    read: (body) => {
      if (isJsonObject(body) && body['error'] !== undefined)
        throw new ResponseError('the answer is an error');
      const pages = listAt(body, ['query', 'pages'], true).toSorted(
        (a, b) => (numberAt(a, 'index') ?? 0) - (numberAt(b, 'index') ?? 0),
      );
      return pages.map((page) => {
        const id = textAt(page, 'title');
        const terms = objectAt(page, 'entityterms');
        const [label = id] = textsAt(terms, 'label');
        const [description] = textsAt(terms, 'description');
        const aliases = textsAt(terms, 'alias').slice(0, aliasesMax).join(', ');
        return {
          url: id !== null && /^Q\d+$/.test(id) ? `https://www.wikidata.org/wiki/${id}` : null,
          title: label,
          snippet: joinFacts([label, description, aliases && `also known as ${aliases}`]),
        };
      });
    },
  },
});
