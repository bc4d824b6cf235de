import { openExtractiveProvider } from '../../src/features/models/providers/extractive/index.ts';
import type { Likeness } from '../../src/features/models/likeness.ts';
import { emptyRequest } from '../../src/features/models/model.ts';
import { loadWordVectors } from '../../src/kernel/kit/word-vectors.ts';
import type { TestIndex } from './index-support.ts';

/** A question, what a right answer to it holds, and the addresses of the pages that say it. */
export interface AskedAnswer {
  readonly question: string;
  /** Null where no page answers. */
  readonly isRight: ((text: string) => boolean) | null;
  readonly isPage: (url: string) => boolean;
}

/** Shares of all questions, but for `rightOfFound`. */
export interface AnswerMeasures {
  readonly found: number;
  /** The page is cited first. */
  readonly first: number;
  /** Something is stated as the answer, and holds what a right one holds. */
  readonly right: number;
  /** Of those whose page was found. */
  readonly rightOfFound: number;
  /** Something is stated, and does not hold it. */
  readonly wrong: number;
}

/** Nothing fits, or nothing was found. */
const refusal = /^(?:No sentence of the sources|This server has no language model)/;

/** Answers without a language model, from what an index finds. */
export async function measureAnswers(
  asked: readonly AskedAnswer[],
  index: TestIndex,
  likeness: Likeness | null,
): Promise<AnswerMeasures> {
  const vectors = loadWordVectors();
  const provider = openExtractiveProvider({ name: 'embedded', vectors: () => vectors, likeness });
  const [offered] = provider.models();
  const counts = { found: 0, first: 0, right: 0, rightOfFound: 0, wrong: 0 };
  for (const { question, isRight: holds, isPage } of asked) {
    const hits = await index.find(question);
    const sources = hits.map(({ title, url, snippet }, at) => ({ id: at + 1, title, url, text: snippet }));
    const turns = [{ role: 'user', parts: [{ type: 'text', text: question }] }] as const;
    let text = '';
    const request = { ...emptyRequest, turns, sources };
    for await (const batch of offered?.model.stream(request, new AbortController().signal) ?? [])
      for (const event of batch) if (event.type === 'text-delta') text += event.text;
    const isFound = hits.some(({ url }) => isPage(url));
    const cited = Number(/\[(\d+)\]/.exec(text)?.[1] ?? 0);
    const isStated = !refusal.test(text);
    const isRight = isStated && (holds?.(text) ?? false);
    if (isFound) counts.found++;
    if (isPage(hits[cited - 1]?.url ?? '')) counts.first++;
    if (isRight) counts.right++;
    if (isRight && isFound) counts.rightOfFound++;
    if (isStated && !isRight) counts.wrong++;
  }
  const share = (count: number) => count / asked.length;
  return {
    found: share(counts.found),
    first: share(counts.first),
    right: share(counts.right),
    rightOfFound: counts.rightOfFound / Math.max(1, counts.found),
    wrong: share(counts.wrong),
  };
}
