import type { Json } from '../../../../kernel/kit/json.ts';
import type { Hit } from '../../engine.ts';
import { listAt, textAt, textsAt, toHits } from '../../hits.ts';

const institutionsMax = 5;

/** `expanded-result` is null where nobody was found. */
export function fromResponse(body: Json, nowMs: number): readonly Hit[] {
  const raw = listAt(body, ['expanded-result'], true).map((person) => {
    const id = textAt(person, 'orcid-id');
    const given = [textAt(person, 'given-names'), textAt(person, 'family-names')].filter(
      (part) => part !== null,
    );
    const name = textAt(person, 'credit-name') ?? given.join(' ');
    const institutions = [...new Set(textsAt(person, 'institution-name'))].slice(0, institutionsMax);
    const others = textsAt(person, 'other-name');
    const facts = [
      name,
      ...(institutions.length === 0 ? [] : [institutions.join(', ')]),
      ...(others.length === 0 ? [] : [`also known as ${others.join(', ')}`]),
    ];
    return { url: id === null ? null : `https://orcid.org/${id}`, title: name, snippet: facts.join('. ') };
  });
  return toHits(raw, nowMs);
}
