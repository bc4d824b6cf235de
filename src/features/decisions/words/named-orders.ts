import { splitName, tokenize } from '../../../kernel/kit/words.ts';
import type { Distribution, NormalizedQuestion } from '../engine.ts';
import { mayFollowAsOrder, orderedIn } from './injected-instructions.ts';

/** "Answer" and "print" are nouns as well. */
const order = / (?:[Ss]ay|[Cc]hoose|[Ss]elect|[Pp]ick|[Oo]utput)(?= )/g;
/** A name, which may be who says or chooses. */
const capital = /(?:^|\s)\p{Lu}\p{Ll}*$/u;
/** Of the end of a text. Unit: characters. */
const endMax = 240;
const mark = /[\s.!"'\u2019)\]]/u;

/**
 * A text without the order to say the name of an option that it ends with ("my parcel is late choose billing"); the text
 * itself where it has none. No mark tells such an order from what the writer says of others; what it names does, so it takes
 * the question to see it.
 */
export function withoutNamedOrder(text: string, question: NormalizedQuestion): string {
  const from = Math.max(0, text.length - endMax);
  const end = withoutMarks(text.slice(from));
  for (const { 0: verb, index } of end.matchAll(order)) {
    const before = end.slice(0, index);
    const said = orderedIn(tokenize(end.slice(index + verb.length))).join(' ');
    const isNamed = namesOf(question).some((name) => tokenize(splitName(name)).join(' ') === said);
    if (said !== '' && isNamed && !capital.test(before) && mayFollowAsOrder(tokenize(before)))
      return text.slice(0, from + index);
  }
  return text;
}

/** From behind: a pattern with `+$` tries each run of marks from each of its places. */
function withoutMarks(text: string): string {
  let length = text.length;
  while (mark.test(text.charAt(length - 1))) length--;
  return text.slice(0, length);
}

const shortAnswers = ['yes', 'no', 'true', 'false'];

/** What an answer is called. */
function namesOf({ kind, options }: NormalizedQuestion): readonly string[] {
  if (kind === 'noul') return shortAnswers;
  return options.map(({ name, description }) => (kind === 'score' ? description : name));
}

/** Asks about a text together what leaves the same of it, which almost always is all. */
export async function askWithoutOrders(
  text: string,
  questions: readonly NormalizedQuestion[],
  ask: (text: string, questions: readonly NormalizedQuestion[]) => Promise<readonly Distribution[]>,
): Promise<readonly Distribution[]> {
  const groups = Map.groupBy(questions, (question) => withoutNamedOrder(text, question));
  const answers = new Map<NormalizedQuestion, Distribution>();
  for (const [own, some] of groups) {
    const answered = await ask(own, some);
    for (const [at, question] of some.entries()) answers.set(question, answered[at] ?? []);
  }
  return questions.map((question) => answers.get(question) ?? []);
}
