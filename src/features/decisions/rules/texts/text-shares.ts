import { stem } from '../../../../kernel/kit/stem.ts';
import { type Token, tokensOf } from '../asked.ts';
import { Cursor, findFirst, phrases } from '../cursor.ts';
import { takeNumber, takeQuantity } from '../quantity.ts';
import { findComparison, isWithin } from '../range.ts';
import type { Reading } from '../reading.ts';
import { type Verdict, verdict } from '../verdict.ts';
import { fillers, isOpen } from './clauses.ts';

const certainty = 0.92;
const charsMax = 800;
const clauseEnds = /[.!?;]\s|[.!?;]$|\n|,\s(?!\d)|\s(?:but|while|whereas)\s/;

const most = phrases('most|the majority|a majority|more than half|over half');
const minority = phrases('less than half|fewer than half|a minority|under half');
const all = phrases('all|every|each|everybody|everyone');
const helping = new Set(
  'a an the of did do does has have had was were is are them those these people who in for to at on been be'.split(
    ' ',
  ),
);

type Test = (share: number) => boolean;

/** "did a majority vote for the rules", of a text that tells one share: "three quarters of the members voted for them". */
export function readTextShare(tokens: readonly Token[], { text }: Reading): Verdict | null {
  const asked = findFirst(tokens, takeTest) ?? percentTest(tokens);
  if (asked === null || text.length > charsMax) return null;
  const told = text.split(clauseEnds).flatMap((clause) => {
    const found = sharesIn(tokensOf(clause));
    return found.map((share) => ({ share, clause }));
  });
  const [one, ...more] = told;
  if (one === undefined || more.length > 0 || isOpen(one.clause)) return null;
  const stems = new Set(tokensOf(one.clause).map((token) => stem(token.text)));
  const words = asked.rest.filter(({ text: word }) => !fillers.has(word) && !helping.has(word));
  if (words.length === 0 || !words.every(({ text: word }) => stems.has(stem(word)))) return null;
  return verdict(asked.found(one.share), certainty);
}

function takeTest(cursor: Cursor): Test | null {
  if (cursor.take(most) !== null) return (share) => share > 0.5;
  if (cursor.take(minority) !== null) return (share) => share < 0.5;
  return cursor.take(all) === null ? null : (share) => share === 1;
}

function percentTest(
  tokens: readonly Token[],
): { readonly found: Test; readonly rest: readonly Token[] } | null {
  const compared = findComparison(tokens);
  if (compared === null || compared.found.unit !== '%') return null;
  return { found: (share) => isWithin(share * 100, compared.found), rest: compared.rest };
}

const half = phrases('half of|half the');
const quarters = phrases('quarter of|quarters of');
const thirds = phrases('third of|thirds of');
const of = phrases('of the|of|out of');
const anArticle = phrases('a|one');

/** Shares that a clause tells: "half of", "two thirds of", "12 of the 40", "80 percent of". */
function sharesIn(tokens: readonly Token[]): readonly number[] {
  const found: number[] = [];
  const cursor = new Cursor(tokens);
  for (let at = 0; at < tokens.length; at++) {
    cursor.backTo(at);
    const share = takeShare(cursor);
    if (share === null) continue;
    found.push(share);
    at = cursor.at - 1;
  }
  return found;
}

function takeShare(cursor: Cursor): number | null {
  if (cursor.take(half) !== null) return 0.5;
  const start = cursor.at;
  const percent = takeQuantity(cursor);
  if (percent?.unit === '%' && cursor.take(of) !== null) return percent.value / 100;
  cursor.backTo(start);
  const count = cursor.take(anArticle) === null ? takeNumber(cursor) : 1;
  if (count === null) return null;
  if (cursor.take(quarters) !== null) return count <= 4 ? count / 4 : null;
  if (cursor.take(thirds) !== null) return count <= 3 ? count / 3 : null;
  if (cursor.take(of) === null) return null;
  const whole = takeNumber(cursor);
  return whole === null || whole < count || whole === 0 ? null : count / whole;
}
