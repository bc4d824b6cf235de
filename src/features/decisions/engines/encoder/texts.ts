import { tokenize } from '../../../../kernel/kit/words.ts';
import type { Option, NormalizedQuestion } from '../../engine.ts';
import { optionText, roleOf } from '../../words/hypothesis.ts';
import { topicCues, wishes } from '../../words/lexicon.ts';
import { type AskedConcept, conceptOf } from './concepts.ts';
import { oppositeOf, oppositeOfWord } from './opposites.ts';
import { toPolarity } from './polarity.ts';

/** What of a question is compared with the state. */
export type Asked =
  /** One statement, or its denial: then also as it was put, for states that deny the same ("it does not work"). */
  | {
      readonly kind: 'statement';
      readonly sign: 1 | -1;
      readonly statement: string;
      readonly denial: string | null;
      readonly isTopical: boolean;
      /** What somebody wants: messages say that much as the statement does. */
      readonly isWish: boolean;
      readonly concept: AskedConcept | null;
    }
  /** A statement against its opposite. */
  | {
      readonly kind: 'contrast';
      readonly sign: 1 | -1;
      readonly statement: string;
      readonly opposite: string;
      readonly concept: AskedConcept | null;
    }
  /** What holds if the answer is yes, and if it is no. */
  | { readonly kind: 'criteria'; readonly statement: string; readonly opposite: string }
  /** Feelings, of which some are the opposite of others. */
  | { readonly kind: 'feelings'; readonly options: readonly (string | null)[] }
  /** Texts of which one fits; null where an option stands for whatever the others leave, or says yes or no. */
  | { readonly kind: 'options'; readonly options: readonly (string | null)[] };

/** Characters read of one text. The encoder reads no more than 512 tokens of it, and a fifth of them says as much. */
const charsMax = 1_000;

export function readQuestion(question: NormalizedQuestion): Asked {
  const { kind, options } = question;
  if (kind === 'noul') return readNoul(question);
  const areOpposites = kind === 'choice' && areFeelings(options);
  const texts = options.map((option) => textOf(option, kind, areOpposites));
  return { kind: areOpposites ? 'feelings' : 'options', options: texts };
}

/** The texts that need a vector. */
export function textsOf(asked: Asked): readonly string[] {
  if ('options' in asked) return asked.options.filter((text) => text !== null);
  if (asked.kind === 'statement')
    return asked.denial === null ? [asked.statement] : [asked.statement, asked.denial];
  return [asked.statement, asked.opposite];
}

/** Options beyond so many are compared by likeness alone: each takes the reader some milliseconds. */
const readOptionsMax = 12;

/** Of choices that ask what a text is about, and who it is for. */
const subjectCues: ReadonlySet<string> = new Set([
  ...topicCues,
  ...tokenize(
    `topic topics subject theme category categories categorize classify classification intent intents label genre team department route
     queue tool role want wants ask asks`,
  ),
]);

/** Whether likeness tells more of the options than what is said of them. */
export const asksForSubject = ({ question }: NormalizedQuestion): boolean =>
  tokenize(question).some((word) => subjectCues.has(word));

/** What the reader is asked: statements, or the question with each of its options. Nothing where likeness tells enough. */
export function readerTexts(asked: Asked, question: NormalizedQuestion): readonly string[] {
  if (asked.kind === 'statement') return [asked.statement];
  if (asked.kind === 'contrast') return [asked.statement, asked.opposite];
  const withQuestion = (text: string) => cut(`${question.question} ${text}`);
  if (asked.kind === 'criteria') return [asked.statement, asked.opposite].map(withQuestion);
  if (asked.kind === 'feelings' || question.options.length > readOptionsMax) return [];
  if (question.kind === 'score')
    return question.options.map((level) =>
      withQuestion(level.description === '' ? optionText(level) : level.description),
    );
  if (tokenize(question.question).length === 0) return [];
  return question.options.map((option) => withQuestion(optionText(option)));
}

/**
 * The questions that words are asked: statements without their denials, and each with its opposite, so that turning a
 * question round turns the answer.
 */
export function questionsForWords(asked: Asked, question: NormalizedQuestion): readonly NormalizedQuestion[] {
  const plain = (statement: string) => ({
    ...question,
    question: statement,
    options: question.options.map(({ name }) => ({ name, description: '' })),
  });
  if (asked.kind === 'statement') return [plain(asked.statement)];
  if (asked.kind === 'contrast') return [plain(asked.statement), plain(asked.opposite)];
  return [question];
}

function readNoul({ question, options }: NormalizedQuestion): Asked {
  const described = (name: string) => options.find((option) => option.name === name)?.description ?? '';
  const [whenTrue, whenFalse] = [described('true'), described('false')];
  if (whenTrue !== '' && whenFalse !== '')
    return { kind: 'criteria', statement: cut(whenTrue), opposite: cut(whenFalse) };
  // Where nobody said what yes means, it is that no does not hold.
  const isOfNo = question === '' && whenTrue === '';
  const polarity = toPolarity(isOfNo ? whenFalse : question);
  const { statement } = polarity;
  const denied = polarity.denied !== isOfNo;
  const sign = denied ? -1 : 1;
  const said = cut([statement, whenTrue].filter((text) => text !== '').join(' '));
  const opposite = oppositeOf(said);
  if (opposite === null) {
    const isTopical = tokenize(said).some((word) => topicCues.has(word));
    const isWish = tokenize(said).some((word) => wishes.has(word));
    const denial = denied && !isOfNo && !isTopical ? cut(question) : null;
    return {
      kind: 'statement',
      sign,
      statement: said,
      denial,
      isTopical,
      isWish,
      concept: conceptOf(said, isNoul),
    };
  }
  // In one order, so that a question and its opposite are one calculation.
  const [first, second] = said < opposite ? [said, opposite] : [opposite, said];
  const concept = conceptOfBoth(first, second);
  return {
    kind: 'contrast',
    sign: first === said ? sign : denied ? 1 : -1,
    statement: first,
    opposite: second,
    concept,
  };
}

/** Of what pleases, a statement against its opposite tells more. */
const isNoul = (concept: string): boolean => concept !== 'satisfaction';

/**
 * The concept that a statement asks for and its opposite asks against: only then do the two answers sum to 1. What is not
 * angry has many names, and their opposite is anger.
 */
function conceptOfBoth(statement: string, opposite: string): AskedConcept | null {
  const [concept, other] = [conceptOf(statement, isNoul), conceptOf(opposite, isNoul)];
  if (other === null) return concept?.name === 'anger' ? concept : null;
  const turned = { ...other, sign: other.sign === 1 ? -1 : 1 } as const;
  if (concept === null) return other.name === 'anger' ? turned : null;
  return concept.name === other.name && concept.sign !== other.sign ? concept : null;
}

/** What stands between two opposites has no direction of its own. */
const between: ReadonlySet<string> = new Set(
  'neutral mixed average balanced ambivalent indifferent okay ok so-so mediocre unclear'.split(' '),
);

function textOf(option: Option, kind: NormalizedQuestion['kind'], isFeeling: boolean): string | null {
  if (kind === 'score') return option.description === '' ? null : cut(option.description);
  const role = roleOf(option);
  if (isFeeling)
    return role === 'remainder' || between.has(option.name.toLowerCase()) ? null : cut(optionText(option));
  return role === 'plain' ? cut(optionText(option)) : null;
}

/** Whether at least two options are each other's opposite, and these are half of all. */
function areFeelings(options: readonly Option[]): boolean {
  const names = new Set(options.map(({ name }) => name.toLowerCase()));
  const paired = [...names].filter((name) => names.has(oppositeOfWord(name) ?? ''));
  return paired.length >= 2 && paired.length * 2 >= names.size;
}

const cut = (text: string): string => text.slice(0, charsMax);
