import { tokenize } from '../../../../kernel/kit/words.ts';
import type { WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import type { SourcePassage } from '../../model.ts';
import type { Asked, Question } from './question.ts';
import { toSentences, type Sentence } from './sentences.ts';
import { isContent, meansSame, stem } from './words.ts';

export interface Ranking {
  /** Sentences that answer, best first, none saying what another says. Empty when nothing fits. */
  readonly chosen: readonly Sentence[];
  /** Indexes of passages about the subject of the question, best first. */
  readonly near: readonly number[];
}

interface Scored {
  readonly sentence: Sentence;
  /** Share of the question that the sentence covers, with the help of its title and neighbours. In [0, 1]. */
  readonly coverage: number;
  readonly score: number;
}

/** Least coverage of a sentence that is quoted. Set on the cases of the tests. */
const coverageMin = 0.5;
/** How many sentences are quoted at most, and the least score of each as a share of the best one's. */
const following = { chosenMax: 3, share: 0.72 };
const factFollowing = { chosenMax: 2, share: 0.85 };
const sameShare = 0.6;
const nearMin = 0.3;
/** A word of the title or of a neighbouring sentence counts for less than one of the sentence. */
const titleShare = 0.6;
const neighbourShare = 0.45;
const titleDiscount = 0.7;

/**
 * Score for the place of a source in its list: the search weighed whole pages, of which a sentence shows little. Set
 * on 54 questions on the documentation: with it the page cited first is the right one for 43 of them, without it for 27.
 */
const placeBonus = [0.8, 0.3, 0.15];
/** The first source may answer, and come near, with less than the others. */
const firstCoverageMin = 0.25;
const firstNearMin = 0.1;

const bonusOf = (passage: number): number => placeBonus[passage] ?? 0;

/** Questions that one fact answers: a sentence without such a thing does not, and one sentence is mostly enough. */
const isFact = (asked: Asked): boolean => ['person', 'time', 'number', 'place'].includes(asked);

export function rank(question: Question, passages: readonly SourcePassage[], vectors: WordVectors): Ranking {
  const sentences = toSentences(passages);
  if (sentences.length === 0 || question.words.length === 0) return { chosen: [], near: [] };
  const weights = weigh(question, sentences, vectors);
  const similar = createSimilarity(question, vectors);
  const titles = passages.map(({ title }) => matchAll(question, tokenize(title).filter(isContent), similar));
  const matches = sentences.map(({ words }) => matchAll(question, words, similar));
  const scored = sentences.map((sentence, at): Scored => {
    const own = matches[at] ?? [];
    const title = titles[sentence.passage] ?? [];
    const around = [at - 1, at + 1].map((near) =>
      sentences[near]?.passage === sentence.passage ? (matches[near] ?? []) : [],
    );
    const helped = own.map((match, word) => {
      const neighbour = Math.max(...around.map((near) => near[word] ?? 0));
      return Math.max(match, (title[word] ?? 0) * titleShare, neighbour * neighbourShare);
    });
    const coverage = weightedMean(helped, weights);
    // The title covers its words for all sentences of the passage, so the best sentence is the one that covers the rest.
    const rest = weights.map((weight, word) => weight * (1 - titleDiscount * (title[word] ?? 0)));
    const alone = weightedMean(own, rest);
    const { asked } = question;
    const kind = fits(asked, sentence, question) ? 0.15 : isFact(asked) ? -0.3 : 0;
    const long = 0.003 * Math.max(0, sentence.length - 30);
    const early = bonusOf(sentence.passage) - 0.01 * Math.min(5, sentence.place);
    const score = 0.6 * alone + 0.4 * coverage + kind + early - long;
    return { sentence, coverage: alone === 0 ? 0 : coverage, score };
  });
  return {
    chosen: choose(scored, isFact(question.asked) ? factFollowing : following),
    near: nearest(scored),
  };
}

/** Rare words count most: rare in English (by rank of frequency) and rare among the passages. */
function weigh({ words }: Question, sentences: readonly Sentence[], vectors: WordVectors): readonly number[] {
  const rarest = Math.log(20_000);
  const commonest = Math.log(100);
  return words.map(({ word, stem, weight }) => {
    const row = vectors.rowOf(word);
    const rarity = row < 0 ? 1 : (Math.log(row + 1) - commonest) / (rarest - commonest);
    const found = sentences.reduce((sum, { stems }) => sum + (stems.has(stem) ? 1 : 0), 0);
    const idf = Math.log(1 + sentences.length / (found + 1)) / Math.log(1 + sentences.length);
    return weight * Math.min(1, Math.max(0.1, rarity)) * (0.6 + 0.4 * Math.min(1, idf));
  });
}

/** How near a word is to a word of the question, in [0, 1]; each distinct word is compared once. */
function createSimilarity({ words }: Question, vectors: WordVectors) {
  const rows = words.map(({ word }) => vectors.rowOf(word));
  const known = words.map(() => new Map<string, number>());
  return (index: number, word: string): number => {
    const memory = known[index];
    const before = memory?.get(word);
    if (before !== undefined) return before;
    const value = compare(rows[index] ?? -1, words[index]?.stem ?? '', word, vectors);
    memory?.set(word, value);
    return value;
  };
}

function compare(row: number, stemmed: string, word: string, vectors: WordVectors): number {
  if (meansSame(stemmed, stem(word))) return 1;
  // Numbers and years lie close together as vectors and mean something else each.
  if (row < 0 || /\d/.test(word) || /\d/.test(stemmed)) return 0;
  const other = vectors.rowOf(word);
  if (other < 0) return 0;
  // Below 0.6 are words of one field (north, south); above it are mostly words for one thing.
  return Math.min(0.75, Math.max(0, (vectors.similarity(row, other) - 0.6) * 2.5));
}

/** For each word of the question its best match among the words of a text. */
function matchAll(
  { words }: Question,
  text: readonly string[],
  similar: (index: number, word: string) => number,
): readonly number[] {
  return words.map((_, index) => text.reduce((best, word) => Math.max(best, similar(index, word)), 0));
}

function weightedMean(values: readonly number[], weights: readonly number[]): number {
  let sum = 0;
  let all = 0;
  for (const [at, weight] of weights.entries()) {
    sum += weight * (values[at] ?? 0);
    all += weight;
  }
  return all === 0 ? 0 : sum / all;
}

/** How the kind of thing that was asked for shows in a sentence. */
const signs: Readonly<Record<Asked, RegExp>> = {
  time: /\b(?:1[0-9]|20)\d\d\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)\b|\b\d{1,2}(?::\d\d| ?[ap]m)\b/,
  number:
    /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|hundred|thousand|million|billion|half|twice|once)\b/i,
  person: /^/,
  place: /\b(?:in|at|near|on|from|to|north|south|east|west)\b/i,
  reason:
    /\b(?:because|due to|caused?|so that|therefore|as a result|since|in order to|reasons?|leads? to)\b/i,
  definition: /^(?:the |an? )?(?:[\w"'()-]+ ){1,6}(?:is|are|was|were|means|refers to|denotes)\b/i,
  way: /^(?:to |use|run|set|add|open|click|press|call|put|install|create|choose|select|start|send)\b|\bby \w+ing\b|\bcan be\b/i,
  any: /^/,
};

/** Whether a sentence names the kind of thing that was asked for. */
function fits(asked: Asked, { text, stems }: Sentence, { words }: Question): boolean {
  if (asked === 'any') return stems.size > 0;
  if (!signs[asked].test(text)) return false;
  if (asked !== 'person' && asked !== 'place') return true;
  // A name that the question does not hold.
  return text
    .split(' ')
    .slice(1)
    .some((word) => {
      const plain = word.replaceAll(/[^\p{L}]/gu, '');
      const key = stem(plain.toLowerCase());
      return /^\p{Lu}\p{Ll}/u.test(plain) && !words.some(({ stem: known }) => known === key);
    });
}

/** The best, and others that are nearly as good and say something else; in the order in which they were found. */
function choose(scored: readonly Scored[], { chosenMax, share }: typeof following): readonly Sentence[] {
  const order = scored
    .filter(({ coverage, sentence }) => coverage >= (sentence.passage === 0 ? firstCoverageMin : coverageMin))
    .sort(
      (a, b) =>
        b.score - a.score || a.sentence.passage - b.sentence.passage || a.sentence.place - b.sentence.place,
    );
  const [best] = order;
  if (best === undefined) return [];
  const chosen: Scored[] = [];
  for (const one of order) {
    if (chosen.length >= chosenMax || one.score < best.score * share) break;
    if (chosen.every((other) => overlap(one.sentence, other.sentence) < sameShare)) chosen.push(one);
  }
  return chosen.map(({ sentence }) => sentence);
}

/** Share of the shorter sentence's words that the other has too. */
function overlap(a: Sentence, b: Sentence): number {
  const [small, large] = a.stems.size < b.stems.size ? [a.stems, b.stems] : [b.stems, a.stems];
  let both = 0;
  for (const word of small) if (large.has(word)) both++;
  return small.size === 0 ? 1 : both / small.size;
}

function nearest(scored: readonly Scored[]): readonly number[] {
  const best = new Map<number, number>();
  for (const { sentence, coverage } of scored)
    best.set(sentence.passage, Math.max(best.get(sentence.passage) ?? 0, coverage));
  return [...best]
    .filter(([passage, coverage]) => coverage >= (passage === 0 ? firstNearMin : nearMin))
    .sort((a, b) => b[1] + bonusOf(b[0]) - a[1] - bonusOf(a[0]) || a[0] - b[0])
    .map(([passage]) => passage);
}
