import { raceSignal } from '../../../../kernel/kit/abort.ts';
import type { OnFailure } from '../../../../kernel/kit/failure-log.ts';
import type { Corpus, DocumentRow, PassageRow } from '../../corpus/corpus.ts';
import type { CandidateFinder } from '../../corpus/find.ts';
import { parseWordQuery, wordsOf } from '../../corpus/words.ts';
import { type CandidateOptions, type Candidates, type QueryVector } from '../../corpus/candidates.ts';
import { passagesPerDocument } from '../../../../kernel/store/index-documents.ts';
import type { Hit, SearchEngine, SearchQuery } from '../../engine.ts';
import { closeFences, endsInCode } from './fences.ts';
import { publishedRange } from '../../wire-query.ts';
import { defaultWeights, rankDocuments, type RankedDocument, type Weights } from './rank.ts';

interface CorpusEngineOptions {
  readonly corpus: Pick<Corpus, 'readDocuments' | 'readPassages' | 'readBeginnings'>;
  readonly finder: CandidateFinder;
  /** Embeds a query with the engine that embedded the passages; null ranks by words alone. */
  readonly embedder: {
    readonly name: string;
    embedQuery(text: string, signal: AbortSignal): Promise<Float32Array>;
  } | null;
  /** Longest wait for the vector of a query: a model that is still loaded must not use up the time of a search. Unit: ms. */
  readonly meaningTimeoutMs: number;
  readonly nowMs: () => number;
  readonly onFailure?: OnFailure;
  readonly weights?: Weights;
  /** Source of Nestor's own guide, which stands behind what somebody added. */
  readonly guideId?: string | null;
  /** Resolves once that guide is there to be found. Rejects with the reason of the signal. */
  readonly guideReady?: (signal: AbortSignal) => Promise<void>;
}

interface ScoredHit extends Hit {
  /** How well it fits; the best passage by words alone has 1. */
  readonly score: number;
}

export interface CorpusEngine extends SearchEngine {
  /** Searches these sources alone, as far as the account may. */
  searchIn(
    sourceIds: readonly string[],
    query: SearchQuery,
    signal: AbortSignal,
    accountId: string,
  ): Promise<readonly ScoredHit[]>;
}

/** Candidates per statement. Fewer miss what meaning would have lifted; more cost rows that nobody reads. */
const passagesMax = 60;
/** Passages that a hit shows, by its place: what answers is not always in those that fit best. */
const passagesShownMax = [10, 6];
const passagesShownOfOthers = 4;

/**
 * The index of one's own as a search engine: candidates by their words, ranked with their meaning. Answers for the
 * kinds that have no engine of their own as well. An engine of embeddings that fails, or takes too long, costs the meaning,
 * not the answer.
 */
export function openCorpusEngine({
  corpus,
  finder,
  embedder,
  meaningTimeoutMs,
  nowMs,
  onFailure = () => {},
  weights = defaultWeights,
  guideId = null,
  guideReady = () => Promise.resolve(),
}: CorpusEngineOptions): CorpusEngine {
  const vectorOf = toVectorOf(embedder, meaningTimeoutMs, onFailure);
  const search = async (
    { sourceIds, accountId }: Pick<CandidateOptions, 'sourceIds' | 'accountId'>,
    query: SearchQuery,
    signal: AbortSignal,
  ) => {
    signal.throwIfAborted();
    const isRankedByMeaning = embedder !== null;
    const meaning = vectorOf(query.text, signal);
    const options = {
      ...toOptions(query, nowMs()),
      sourceIds: sourceIds ?? null,
      accountId,
      isRankedByMeaning,
      ...(weights.aloneMin < 1 && { meaning }),
    };
    const needsGuide = sourceIds?.some((id) => id === guideId) ?? true;
    const ready = needsGuide ? guideReady(signal) : Promise.resolve();
    const [candidates, vector] = await Promise.all([
      ready.then(() => finder.find(query.text, options)),
      meaning,
    ]);
    signal.throwIfAborted();
    const beginnings =
      vector === null || !weights.beginning ? [] : await corpus.readBeginnings(documentsOf(candidates));
    signal.throwIfAborted();
    const ranked = rankDocuments({ ...candidates, beginnings }, vector, weights);
    // Two sources may hold one page, and two pages one text.
    const chosen = ranked.slice(0, query.hitsMax * 2);
    const likely = chosen.slice(0, query.hitsMax);
    const [documents, read] = await Promise.all([
      corpus.readDocuments(chosen.map(({ documentId }) => documentId)),
      corpus.readPassages(likely.flatMap((one, at) => passagesShown(one, at))),
    ]);
    const found = ownFirst(distinct(chosen, documents), guideId).slice(0, query.hitsMax);
    const begun = beginningsNamed(found, query);
    const rest = [...passagesOfOthers(found, likely), ...begun];
    const more = rest.length > 0 ? await corpus.readPassages(rest) : [];
    signal.throwIfAborted();
    return toHits(found, [...read, ...more], begun);
  };
  return {
    name: 'corpus',
    kinds: ['web', 'academic', 'sec', 'people'],
    search: async (query, signal, accountId) => (await search({ accountId }, query, signal)).map(toHit),
    searchIn: (sourceIds, query, signal, accountId) => search({ sourceIds, accountId }, query, signal),
    close: () => Promise.resolve(),
  };
}

function toVectorOf(embedder: CorpusEngineOptions['embedder'], timeoutMs: number, onFailure: OnFailure) {
  return async (text: string, signal: AbortSignal): Promise<QueryVector | null> => {
    if (embedder === null) return null;
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const values = await raceSignal(embedder.embedQuery(text, within), within);
      return { values, embeddedBy: embedder.name };
    } catch (error) {
      signal.throwIfAborted();
      onFailure('embedding of a query', error);
      return null;
    }
  };
}

function documentsOf({ passages, titles }: Candidates): readonly number[] {
  const ofPassages = passages.map(({ id }) => Math.floor(id / passagesPerDocument));
  return [...new Set([...ofPassages, ...titles.map(({ documentId }) => documentId)])];
}

function toOptions({ filters }: SearchQuery, nowMs: number): Omit<CandidateOptions, 'accountId'> {
  const { allowDomains, denyDomains, languages, updatedAfter, updatedBefore, publishedBefore } = filters;
  return {
    allowDomains,
    denyDomains,
    languages,
    dates: {
      publishedAfter: publishedRange(filters, nowMs).from,
      publishedBefore,
      updatedAfter,
      updatedBefore,
    },
    passagesMax,
  };
}

/** Where only the title fits, the beginning is shown. */
function passagesShown(one: RankedDocument, at: number): readonly number[] {
  const { passageIds } = one;
  const countMax = passagesShownMax[at] ?? passagesShownOfOthers;
  return passageIds.length > 0 ? passageIds.slice(0, countMax) : [beginningOf(one)];
}

const beginningOf = ({ documentId }: RankedDocument): number => documentId * passagesPerDocument;

/** Passages of those that were not likely to be found. */
function passagesOfOthers(found: readonly Found[], likely: readonly RankedDocument[]): readonly number[] {
  return found
    .filter(({ one }) => !likely.includes(one))
    .flatMap(({ one }) => passagesShown(one, passagesShownMax.length));
}

/** The beginning of the first, where the query names it. */
function beginningsNamed([first]: readonly Found[], query: SearchQuery): readonly number[] {
  return first !== undefined && isNamed(first.document, query) ? [beginningOf(first.one)] : [];
}

/** Whether a query is nothing but the title: how the document begins then says what that is. */
function isNamed({ title }: DocumentRow, { text }: SearchQuery): boolean {
  const { words, phrases } = parseWordQuery(text);
  const named = new Set(wordsOf(title));
  return [...words, ...phrases.flat()].every((word) => named.has(word));
}

interface Found {
  readonly one: RankedDocument;
  readonly document: DocumentRow;
}

/** Documents that are still there, each address and each text once. */
function distinct(ranked: readonly RankedDocument[], documents: readonly DocumentRow[]): readonly Found[] {
  const byId = new Map(documents.map((row) => [row.id, row]));
  const seen = new Set<string>();
  return ranked.flatMap((one) => {
    const document = byId.get(one.documentId);
    if (document === undefined || seen.has(document.url) || seen.has(document.textHash)) return [];
    seen.add(document.url).add(document.textHash);
    return [{ one, document }];
  });
}

/**
 * What somebody added stands before Nestor's guide where it is nearly as good; the best passage by words alone has a score
 * of 1. Beside 200 READMEs it takes the first place from 4 of 94 questions on the guide, and 0.4 from 10.
 */
const ownBonus = 0.2;

/** Both kinds keep their order among themselves. */
function ownFirst(found: readonly Found[], guideId: string | null): readonly Found[] {
  const isGuide = ({ document }: Found): boolean => document.sourceId === guideId;
  const guide = found.filter(isGuide);
  const own = found.filter((one) => !isGuide(one));
  const merged: Found[] = [];
  for (let [first, second] = [own[0], guide[0]]; first !== undefined || second !== undefined;) {
    const isOwn =
      second === undefined || (first !== undefined && first.one.score + ownBonus >= second.one.score);
    const next = (isOwn ? own : guide).shift();
    if (next !== undefined) merged.push(next);
    [first, second] = [own[0], guide[0]];
  }
  return merged;
}

function toHit(scored: ScoredHit): Hit {
  const { score: _, ...hit } = scored;
  return hit;
}

/** `begun` are beginnings that are shown besides. */
function toHits(
  found: readonly Found[],
  passages: readonly PassageRow[],
  begun: readonly number[],
): ScoredHit[] {
  const byId = new Map(passages.map((row) => [row.id, row]));
  return found.map(({ one, document }, at) => {
    const own = begun.filter((id) => id === beginningOf(one));
    const shown = [...new Set([...passagesShown(one, at), ...own])]
      .toSorted((a, b) => a - b)
      .flatMap((id) => byId.get(id) ?? []);
    return {
      url: document.url,
      title: document.title,
      snippet: excerptOf(shown),
      date: document.date,
      lastUpdated: document.lastUpdated,
      language: document.language,
      score: one.score,
    };
  });
}

/** Passages in their order; those that follow each other in their document are one excerpt. */
function excerptOf(shown: readonly PassageRow[]): string {
  const runs: string[] = [];
  for (const [at, row] of shown.entries()) {
    const before = shown[at - 1];
    const text = withHeading(row, before);
    const run = before?.id === row.id - 1 ? runs.pop() : undefined;
    runs.push(run === undefined ? text : run + (endsInCode(run) ? '\n' : '\n\n') + text);
  }
  return runs.map((run) => closeFences(run)).join('\n\n');
}

/** A passage that begins below its heading says which one that is, unless the one before it says so. */
function withHeading({ id, heading, text }: PassageRow, before: PassageRow | undefined): string {
  const goesOn = before?.id === id - 1 && before.heading === heading;
  const headings = heading.split(' > ');
  if (heading === '' || goesOn || text.startsWith('#')) return text;
  return `## ${headings.at(-1) ?? ''}\n\n${text}`;
}
