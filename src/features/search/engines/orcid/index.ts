import { publicSource } from '../../define-source.ts';
import { joinFacts, listAt, textAt, textsAt } from '../../hits.ts';
import { defineWebEngine } from '../../web-engine.ts';
import { cutWords, toUrl } from '../../wire-query.ts';

const queryCharsMax = 200;
const institutionsMax = 5;

/** ORCID: researchers with their institutions. */
export const orcid = defineWebEngine({
  type: 'orcid',
  settings: publicSource,
  kinds: ['people'],
  publicUrl: 'https://pub.orcid.org',
  search: {
    // Words only: the register reads everything else as a query language.
    request: ({ text, hitsMax }, { base }) => {
      const words = cutWords(text, queryCharsMax).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
      const lower = words.map((word) => (/^(?:AND|OR|NOT|TO)$/.test(word) ? word.toLowerCase() : word));
      const parameters = { q: lower.join(' '), start: 0, rows: hitsMax };
      const url = toUrl(base, '/v3.0/expanded-search/', parameters);
      return { url, headers: { accept: 'application/json' } };
    },
    // `expanded-result` is null where nobody was found.
    read: (body) =>
      listAt(body, ['expanded-result'], true).map((person) => {
        const id = textAt(person, 'orcid-id');
        const given = [textAt(person, 'given-names'), textAt(person, 'family-names')];
        const name = textAt(person, 'credit-name') ?? given.filter((part) => part !== null).join(' ');
        const institutions = [...new Set(textsAt(person, 'institution-name'))].slice(0, institutionsMax);
        const others = textsAt(person, 'other-name').join(', ');
        return {
          url: id === null ? null : `https://orcid.org/${id}`,
          title: name,
          snippet: joinFacts([name, institutions.join(', '), others && `also known as ${others}`]),
        };
      }),
  },
});
