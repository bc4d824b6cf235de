import { stem } from '../../../../kernel/kit/stem.ts';
import { splitName } from '../../../../kernel/kit/words.ts';
import { keyUnits } from '../quantity.ts';

/** Words of questions that name no value. */
export const fillers: ReadonlySet<string> = new Set(
  `a an the of 's in on at for to is are was were be been being has have had does do did its their his her with this that
  these those it there value field key set listed called named marked given current currently as by still already contain contains
  include includes`.split(/\s+/),
);

/** Names for an item of a list that has no name of its own. */
export const itemNames: ReadonlySet<string> = new Set(
  ['item', 'entry', 'element', 'row', 'record', 'object', 'line'].map(stem),
);

/** Names for a whole state that has none of its own, as they are: "shipment" has the stem of "shipped". */
export const wholeNames: ReadonlySet<string> = new Set(
  `state data object record json payload document request order ticket cart basket invoice booking reservation account
  case form profile parcel claim application event response user customer person employee product item`.split(
    /\s+/,
  ),
);

const ordinalWords =
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ');

/** Place that an ordinal names, counted from 0; -1 for the last one, null for any other word. */
export function placeOf(word: string): number | null {
  if (word === 'last' || word === 'final') return -1;
  const spelled = ordinalWords.indexOf(word);
  if (spelled >= 0) return spelled;
  const digits = /^(\d{1,5})(?:st|nd|rd|th)$/.exec(word);
  return digits === null ? null : Number(digits[1]) - 1;
}

/** How programs shorten what people say. */
const shortened: ReadonlyMap<string, string> = new Map(
  'qty quantity|amt amount|desc description|addr address|tel telephone|num number|cnt count|temp temperature|lang language|msg message|cat category|pct percent|dept department'
    .split('|')
    .map((pair) => {
      const [short = '', long = ''] = pair.split(' ');
      return [short, long] as const;
    }),
);

const shortForms = [...shortened.keys()];
/** A quick look, which most keys do not pass. */
export function mayBeShortened(key: string): boolean {
  const lower = key.toLowerCase();
  return shortForms.some((short) => lower.includes(short));
}

/** Hundredths of a currency, as in `amount_cents`. */
export const minorUnits: ReadonlySet<string> = new Set(['cents', 'pence', 'minor']);

/** Words of a key, without the unit that it may end in: `createdAt` and `created_at` are "created", "at". Fillers among them need not be said. */
export function wordsOfKey(key: string): readonly string[] {
  const all = splitName(key.slice(0, 200))
    .toLowerCase()
    .split(' ')
    .filter(Boolean)
    .map((word) => shortened.get(word) ?? word);
  const isLast = (at: number) => at > 0 && at === all.length - 1;
  const telling = all.filter(
    (word, at) =>
      !fillers.has(word) && !(isLast(at) && (keyUnits.has(word) || minorUnits.has(word) || word === 'count')),
  );
  return telling.length > 0 ? telling : all;
}

/** Words of a text, as questions are compared with it: "in_progress", "In progress" and "in-progress" are the same. */
export function plainWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A value without the words that questions may leave out or add: "in_transit" is "transit". */
export function plain(text: string): string {
  const words = plainWords(text);
  const telling = words.filter((word) => !fillers.has(word));
  return (telling.length > 0 ? telling : words).join(' ');
}
