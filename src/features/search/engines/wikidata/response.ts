import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';
import { ResponseError } from '../../engine-calls.ts';
import type { Hit } from '../../engine.ts';
import { listAt, numberAt, objectAt, textAt, textsAt, toHits } from '../../hits.ts';

const aliasesMax = 5;

/** Pages come in any order, with the place that each had. Without any the answer has no `query`; errors have `error`. */
export function fromResponse(body: Json, nowMs: number): readonly Hit[] {
  if (isJsonObject(body) && body['error'] !== undefined) throw new ResponseError('the answer is an error');
  const pages = listAt(body, ['query', 'pages'], true).toSorted(
    (a, b) => (numberAt(a, 'index') ?? 0) - (numberAt(b, 'index') ?? 0),
  );
  const raw = pages.map((page) => {
    const id = textAt(page, 'title');
    const terms = objectAt(page, 'entityterms');
    const [label = id] = textsAt(terms, 'label');
    const [description] = textsAt(terms, 'description');
    const aliases = textsAt(terms, 'alias').slice(0, aliasesMax);
    const facts = [
      label,
      ...(description === undefined ? [] : [description]),
      ...(aliases.length === 0 ? [] : [`also known as ${aliases.join(', ')}`]),
    ];
    const isItem = id !== null && /^Q\d+$/.test(id);
    return {
      url: isItem ? `https://www.wikidata.org/wiki/${id}` : null,
      title: label,
      snippet: facts.join('. '),
    };
  });
  return toHits(raw, nowMs);
}
