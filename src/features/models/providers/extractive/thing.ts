import { tokenize } from '../../../../kernel/kit/words.ts';
import { isContent, stem } from './words.ts';

/** What a question asks for by its name: the port of "which port does it listen on". */
export interface Thing {
  readonly stem: string;
  /** How a value of it looks, where that tells it better than its name does; null else. */
  readonly sign: RegExp | null;
}

const unitSign =
  /\b(?:ms|(?:milli|micro|nano)?seconds?|minutes?|hours?|days?|bits?|bytes?|[kmg]i?b|pixels?|px|meters?|metres?|percent|tokens?|characters?)\b|%/i;

/** Things whose value may stand without their name: "Send a 403" tells a status. */
const signs: Readonly<Record<string, RegExp>> = {
  status: /\b[1-5]\d\d\b/,
  port: /\b\d{2,5}\b/,
  version: /\d/,
  standard: /\b(?:ISO|RFC|ECMA|IEEE|ANSI|W3C|WHATWG)\b/,
  unit: unitSign,
};

/** Whether it tells a time that passes: by a unit, also in a name such as `retention_days`, or by what is set. */
export const isTimed = (text: string): boolean => timeSign.test(text.replaceAll('_', ' '));

const timeSign =
  /\b(?:ms|(?:milli|micro|nano)?seconds?|minutes?|hours?|days?|weeks?|months?|years?|forever)\b|\d ?(?:s|min|h)\b|\b(?:timeout|interval|ttl|max-?age|delay|duration|period)/i;

/** Nouns that only join others, and those of what is written as code without its kind: they may be named nowhere. */
const unnamed = new Set(
  `difference kind type sort way point purpose reason result problem effect use option setting method function argument
  parameter property field event command flag key value name class module package thing`.split(/\s+/),
);

const asking = /\b(?:which|what|how many)\s+(?<phrase>[^?.,;:]+)/i;
const definite = /\bwhat(?:'s| is| are| was| were)\s+the\s+(?<phrase>[^?.,;:]+)/i;
/** Where the noun of a question ends. */
const auxiliary = new Set(
  `is are was were do does did has have had can could may might must shall should will would of for in on at by with
  from to when where if that between as`.split(/\s+/),
);
const determiner = new Set('the a an my your its our their this these his her any all'.split(' '));
const phraseWordsMax = 6;

/** What is counted: the requests of "how many requests a minute". Null where nothing is, or what a number has as its unit. */
export function toCounted(text: string): string | null {
  const words = (counting.exec(text)?.groups?.['phrase'] ?? '').toLowerCase().split(/\s+/);
  const end = words.slice(0, phraseWordsMax).findIndex((word) => auxiliary.has(word) || determiner.has(word));
  const noun = (end < 0 ? [] : words.slice(0, end)).at(-1) ?? '';
  const [token, ...more] = tokenize(noun);
  const isNoun = token !== undefined && more.length === 0 && isContent(token);
  return isNoun && noun !== 'times' && !unitSign.test(noun) ? stem(token) : null;
}

const counting = /\bhow many\s+(?<phrase>[^?.,;:]+)/i;

/** The noun behind "which" or "what", or behind "what is the". Null where none is told from a verb. */
export function toThing(text: string): Thing | null {
  const phrase = (definite.exec(text) ?? asking.exec(text))?.groups?.['phrase'] ?? '';
  const words = phrase.split(/\s+/).slice(0, phraseWordsMax);
  const end = words.findIndex(
    (word) => auxiliary.has(word.toLowerCase()) || determiner.has(word.toLowerCase()),
  );
  if (end <= 0) return null;
  // "Which mask gives the month": what stands before an article is the verb.
  const isVerb = determiner.has((words[end] ?? '').toLowerCase());
  const noun = words.slice(0, isVerb ? end - 1 : end).findLast((word) => isContent(word.toLowerCase())) ?? '';
  const [token, ...more] = tokenize(noun);
  if (
    token === undefined ||
    more.length > 0 ||
    !isContent(token) ||
    unnamed.has(token) ||
    unnamed.has(token.replace(/s$/, ''))
  )
    return null;
  const key = stem(token);
  return { stem: key, sign: signs[token] ?? null };
}
