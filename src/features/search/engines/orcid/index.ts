import { defineSearchEngine, publicSource } from '../../define-source.ts';
import type { SearchEngine } from '../../engine.ts';
import { joinFacts, listAt, textAt, textsAt } from '../../hits.ts';
import { createWebEngine, type EngineOptions } from '../../web-engine.ts';
import { cutWords, toUrl } from '../../wire-query.ts';

const publicUrl = 'https://pub.orcid.org';
const queryCharsMax = 200;
const institutionsMax = 5;

/** ORCID: researchers with their institutions. */
function openOrcidEngine({ url: base, ...options }: EngineOptions): SearchEngine {
  return createWebEngine({
    ...options,
    name: 'orcid',
    kinds: ['people'],
    search: {
      // Words only: the register reads everything else as a query language.
      request: ({ text, hitsMax }) => {
        const words = cutWords(text, queryCharsMax).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
        const lower = words.map((word) => (/^(?:AND|OR|NOT|TO)$/.test(word) ? word.toLowerCase() : word));
        const parameters = { q: lower.join(' '), start: 0, rows: hitsMax };
        const url = toUrl(base ?? publicUrl, '/v3.0/expanded-search/', parameters);
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
}

export const orcid = defineSearchEngine({ type: 'orcid', settings: publicSource, open: openOrcidEngine });
