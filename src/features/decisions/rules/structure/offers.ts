import { isJsonObject } from '../../../../kernel/kit/json.ts';
import { stem } from '../../../../kernel/kit/stem.ts';
import type { Token } from '../asked.ts';
import { type Verdict, verdict } from '../verdict.ts';
import type { Structure } from './lookup.ts';
import type { Node } from './nodes.ts';
import { certaintyOfSubject, keyText, named, onlyOne, unnamed } from './subjects.ts';
import { fillers, plainWords } from './words.ts';

/** Lists of what somebody may have, use or do. */
const offering =
  /\b(?:benefits?|perks?|features?|amenit(?:y|ies)|facilit(?:y|ies)|services|extras|equipment|permissions?|rights|privileges|includes|included|add ?ons|entitlements)\b/;
/** What is done with such a thing, as it is asked for. */
const using = new Set(
  'may can could is are does do will use used using have has get gets access come comes with offer offers offered include includes included available entitled allowed there enjoy'.split(
    ' ',
  ),
);
const asking = new Set('is are does do may can could has have will'.split(' '));

/** "may the passenger use the lounge" of `benefits` with a lounge among them. What is not there may have another name. */
export function readOffer(tokens: readonly Token[], { nodes }: Structure): Verdict | null {
  if (!asking.has(tokens[0]?.text ?? '')) return null;
  const said = new Set(tokens.map(({ text }) => stem(text)));
  const found = onlyOne(nodes.filter((node) => isNamedIn(node, said)));
  if (typeof found?.value !== 'string' || found.parent === null) return null;
  const own = new Set(plainWords(found.value).map(stem));
  const rest = tokens.filter(({ text }) => !own.has(stem(text)) && !using.has(text) && !fillers.has(text));
  const [only, ...more] = rest;
  const isGuest = only !== undefined && more.length === 0 && /^(?:this|that|the)$/.test(before(tokens, only));
  const certainty = certaintyOfSubject(rest, found.parent, tokens) ?? (isGuest ? unnamed : null);
  return certainty === null ? null : verdict(true, Math.min(certainty, named));
}

function isNamedIn({ value, parent }: Node, said: ReadonlySet<string>): boolean {
  if (typeof value !== 'string' || !Array.isArray(parent?.value) || typeof parent.key !== 'string')
    return false;
  if (!offering.test(keyText(parent.key))) return false;
  const words = plainWords(value).filter((word) => !fillers.has(word));
  return words.length > 0 && words.every((word) => said.has(stem(word)));
}

const before = (tokens: readonly Token[], token: Token): string =>
  tokens[tokens.indexOf(token) - 1]?.text ?? '';

const coming = new Set(
  'come comes coming attend attends attending join joins joining there be participate present'.split(' '),
);
const answering = /\b(?:response|rsvp|reply|answer|attendance|attending)\b/;
const accepted = new Set('accepted yes attending confirmed coming going'.split(' '));
const refused = new Set('declined no rejected refused cancelled absent'.split(' '));
const answered = 0.95;

/** "will Udo be there", of what he answered. */
export function readAttendance(tokens: readonly Token[], { nodes }: Structure): Verdict | null {
  const [first, ...words] = tokens;
  if (
    first === undefined ||
    !/^(?:will|is|does)$/.test(first.text) ||
    !words.some(({ text }) => coming.has(text))
  )
    return null;
  const rest = words.filter(({ text }) => !coming.has(text) && !fillers.has(text));
  const found = onlyOne(
    nodes.filter(
      ({ key, value, parent }) =>
        typeof value === 'string' &&
        typeof key === 'string' &&
        answering.test(keyText(key)) &&
        parent !== null &&
        isCalled(parent, rest),
    ),
  );
  const said = typeof found?.value === 'string' ? found.value.trim().toLowerCase() : '';
  if (!accepted.has(said) && !refused.has(said)) return null;
  return verdict(accepted.has(said), answered);
}

function isCalled({ value }: Node, words: readonly Token[]): boolean {
  if (!isJsonObject(value) || words.length === 0) return false;
  const names = new Set(
    Object.entries(value).flatMap(([key, own]) =>
      /name/i.test(key) && typeof own === 'string' ? plainWords(own) : [],
    ),
  );
  return words.every(({ text }) => names.has(text));
}
