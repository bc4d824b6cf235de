import type { Likeness } from '../../likeness.ts';
import type { SourcePassage } from '../../model.ts';
import { addressName } from './by-name.ts';
import type { Question } from './question.ts';
import type { Scored } from './rank.ts';
import type { ReadPassage, Unit } from './units.ts';

/** How many are read, and how much of each; where they stand before it. Unit of texts: characters. */
const candidatesMax = 8;
const charsMax = { text: 420, code: 260, lead: 120, title: 40 };
/** Beside words and likeness, where something is asked as a question: who types an order or keywords looks for these. */
const weight = 0.1;
/** Log odds beyond this say no more. */
const oddsMax = 4;
/** What was not read counts as this. */
export const unreadOdds = -2;

/** The best so far, ranked by the reader as well; as they were where the encoder was not asked or does not answer in time. */
export async function rankByReader(
  ranked: readonly Scored[],
  { question, sources, read }: Asked,
  likeness: Likeness | null,
  signal: AbortSignal,
  account?: string,
): Promise<readonly Scored[]> {
  if (likeness === null || ranked[0]?.likeness === undefined) return ranked;
  const candidates = ranked.slice(0, candidatesMax);
  const texts = candidates.map(({ unit }) => toReading(unit, sources[unit.passage], read));
  const odds = await likeness.read(question.text, texts, signal, account);
  if (odds === null) return ranked;
  return ranked
    .map((one, at): Scored => {
      const told = odds[at] === undefined ? undefined : Math.max(-oddsMax, Math.min(oddsMax, odds[at]));
      const score = one.score + (question.isAsked ? weight * (told ?? unreadOdds) : 0);
      return told === undefined ? { ...one, score } : { ...one, score, told };
    })
    .toSorted((a, b) => b.score - a.score);
}

interface Asked {
  readonly question: Question;
  readonly sources: readonly SourcePassage[];
  readonly read: readonly ReadPassage[];
}

/** What a unit says behind what it is about, as the reader learned it. */
export function toReading(
  { kind, text, headings, passage, block }: Unit,
  source: SourcePassage | undefined,
  read: readonly ReadPassage[],
): string {
  const about = [subjectOf(source), ...headings.slice(-2)].join(' > ');
  const said = text.slice(0, kind === 'code' ? charsMax.code : charsMax.text);
  const before = read[passage]?.blocks[block - 1];
  const isLed =
    kind !== 'sentence' &&
    before?.kind === 'prose' &&
    before.text.endsWith(':') &&
    before.headings.join('\n') === headings.join('\n');
  const lead = isLed ? `${before.text.slice(-charsMax.lead)} ` : '';
  return `${about}: ${lead}${said}`;
}

/** A page by the end of its address, and by its title where that is another. */
function subjectOf(source: SourcePassage | undefined): string {
  const name = addressName(source?.url ?? '');
  const title = source?.title.trim() ?? '';
  if (title.toLowerCase() === name.toLowerCase()) return title;
  return [name, title].filter((one) => one !== '' && one.length < charsMax.title).join(', ');
}
