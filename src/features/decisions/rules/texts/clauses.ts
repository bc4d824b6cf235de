import { stem } from '../../../../kernel/kit/stem.ts';
import { type Token, tokensOf } from '../asked.ts';
import { Cursor } from '../cursor.ts';
import { isOneOf, type Quantity, takeQuantity } from '../quantity.ts';
import { fillers as fillersOfKeys } from '../structure/words.ts';

/** Words of a text that name nothing. What names places of a structure is said of things here: "the key is returned". */
export const fillers: ReadonlySet<string> = fillersOfKeys.difference(
  new Set('value field key set listed called named marked given'.split(' ')),
);

/** A quantity and where it stands among the words of a clause. */
export interface Placed {
  readonly quantity: Quantity;
  readonly from: number;
  readonly to: number;
}

/** A part of a text that says one thing. */
export interface Clause {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly stems: ReadonlySet<string>;
  readonly quantities: readonly Placed[];
}

export function clauseOf(text: string): Clause {
  const tokens = tokensOf(text);
  return {
    text,
    tokens,
    stems: new Set(tokens.map((token) => stem(token.text))),
    quantities: placedIn(tokens),
  };
}

/** What denies or conditions what a clause says. */
export const isOpen = (text: string): boolean =>
  /\b(?:not|no|never|nobody|without|if|unless|except|but|maybe|perhaps|might|could|would|should|hopefully)\b|n['’]t\b/i.test(
    text,
  );

const obliging =
  /\b(?:needs?|must|required?|requires|ha(?:ve|s) to|should|shall|necessary|obliged|mandatory)\b/i;
const permitting = /\b(?:can|may|could|allowed|permitted|able|possible|entitled)\b/i;

/** Who needs a letter may have none, and who may use the sauna may not have done so: a duty or a right has to be asked for. */
export function asksWhatItGrants(tokens: readonly Token[], rule: string): boolean {
  const asked = tokens.map(({ text }) => text).join(' ');
  return (!obliging.test(rule) || obliging.test(asked)) && (!permitting.test(rule) || permitting.test(asked));
}

function placedIn(tokens: readonly Token[]): readonly Placed[] {
  const placed: Placed[] = [];
  const cursor = new Cursor(tokens);
  for (let at = 0; at < tokens.length; at++) {
    if (tokens[at]?.text === 'one' || (tokens[at]?.text === 'a' && !isOneOf(tokens.slice(at, at + 2))))
      continue;
    cursor.backTo(at);
    const quantity = takeQuantity(cursor);
    if (quantity === null) continue;
    placed.push({ quantity, from: at, to: cursor.at });
    at = cursor.at - 1;
  }
  return placed;
}
