import { Fault } from '../../kernel/faults.ts';
import { beginningOf } from '../../kernel/kit/text.ts';
import { AskedEngines, contextBudgets, roundRobin, type Found, type TextBudget } from '../search/feature.ts';
import { attribute, contextBlock, neutralise } from '../tools/feature.ts';
import type { StructuredGenerator } from './structured-generator.ts';
import type { ChatEvent, ChatSource } from './events.ts';
import { planFirst, planNext } from './plan.ts';
import { depthOf, type SearchDepth } from './profiles.ts';
import type { ChatWork, WebSearchOptions } from './question.ts';
import { readPages, type Read } from './reading.ts';

const roundTimeoutMs = 30_000;
const knownSourcesMax = 20;
const knownCharsMax = 600;

export interface Findings {
  /** Best first. Where a note was taken of a page, it is the text. */
  readonly found: readonly Found[];
  /** Queries that were asked; 0 where no search was needed. */
  readonly queries: number;
  readonly depth: SearchDepth;
  readonly engines: AskedEngines;
}

/**
 * Searches in rounds until enough is known or the depth is reached, emitting each step. Throws what the search throws
 * when not even the first round succeeds.
 */
export async function* research(
  work: ChatWork,
  options: WebSearchOptions,
): AsyncGenerator<readonly ChatEvent[], Findings> {
  const { question, generator } = work;
  const depth = depthOf(question.profile, options.isPro, question.effort);
  const engines = new AskedEngines();
  const watched = { ...work, search: engines.watch(work.search) };
  const asked: string[] = [];
  const rounds: (readonly Found[])[] = [];
  const reads = new Map<string, Read>();
  const tried = new Set<string>();
  let plan = await planFirst(work, depth);
  for (let round = 1; plan.queries.length > 0; round++) {
    const { thought, queries } = plan;
    const results = await searchFor(queries, round === 1, watched, options);
    asked.push(...queries);
    rounds.push(results);
    yield [{ type: 'step', step: { type: 'search', thought, queries, results: results.map(toSource) } }];
    if (!generator.generates) break;
    const unread = results.filter(({ url }) => !tried.has(url)).slice(0, depth.pagesPerRoundMax);
    for (const { url } of unread) tried.add(url);
    const read = await readPages(unread, work);
    for (const one of read) reads.set(one.source.url, one);
    if (read.length > 0) yield [toReadStep(read)];
    if (round >= depth.roundsMax) break;
    plan = await planNext(work, depth, asked, toKnown(merge(rounds, reads)));
  }
  return { found: merge(rounds, reads), queries: asked.length, depth, engines };
}

/** Notes first, then the results of the rounds, each round with its best first. */
function merge(rounds: readonly (readonly Found[])[], reads: ReadonlyMap<string, Read>): readonly Found[] {
  const noted = [...reads.values()].flatMap(({ source, note }) =>
    note === null ? [] : [{ ...source, text: note }],
  );
  const urls = new Set(noted.map(({ url }) => url));
  const others = roundRobin(rounds, Number.MAX_SAFE_INTEGER).filter(({ url }) => !urls.has(url));
  return [...noted, ...others];
}

/** One list out of all queries. A query that fails is passed by; all of them fail the first round only. */
async function searchFor(
  queries: readonly string[],
  isFirst: boolean,
  { question, generator, search, onFailure, signal }: ChatWork,
  options: WebSearchOptions,
): Promise<readonly Found[]> {
  const deadline = AbortSignal.timeout(roundTimeoutMs);
  const limited = AbortSignal.any([signal, deadline]);
  const { kind, filters, place, safe, resultsMax } = options;
  const query = { kind, filters, place, safe, hitsMax: resultsMax };
  const { tokensMax, tokensPerPageMax } = budgetOf(options, generator);
  const budget = { tokensMax: Math.ceil(tokensMax / queries.length), tokensPerPageMax };
  const outcomes = await Promise.allSettled(
    queries.map((text) => search.find({ ...query, text }, budget, limited, question.accountId)),
  );
  signal.throwIfAborted();
  const rankings = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const [first] = outcomes;
  if (rankings.length === 0 && isFirst && first?.status === 'rejected')
    throw deadline.aborted
      ? new Fault('gateway_timeout', 'The search did not answer in time.')
      : first.reason;
  for (const outcome of outcomes) if (outcome.status === 'rejected') onFailure('query', outcome.reason);
  return roundRobin(rankings, resultsMax);
}

function toReadStep(reads: readonly Read[]): ChatEvent {
  const pages = reads.map(({ source }) => toSource(source));
  const thought = `Read ${reads.length === 1 ? 'one page' : `${reads.length} pages`} and take notes.`;
  return { type: 'step', step: { type: 'read', thought, pages } };
}

/** The findings so far, for the plan of the next round. */
function toKnown(found: readonly Found[]): string {
  const lines = found.slice(0, knownSourcesMax).map(({ title, text, snippet }) => {
    const body = neutralise(beginningOf(text.trim() === '' ? snippet : text, knownCharsMax));
    return `- ${attribute(title)}: ${body}`;
  });
  return lines.length === 0
    ? 'Nothing was found so far.'
    : contextBlock('results', 'This was found so far.', lines.join('\n'));
}

/** The budget of a search. Quoting costs no tokens of a model, so that a model that only quotes reads as much as there is. */
export function budgetOf({ contextSize }: WebSearchOptions, { generates }: StructuredGenerator): TextBudget {
  return contextBudgets[generates ? contextSize : 'high'];
}

export function toSource({ title, url, date, lastUpdated, snippet }: Found): ChatSource {
  return { title, url, date, lastUpdated, snippet: beginningOf(snippet, snippetCharsMax), kind: 'web' };
}

/** Every chunk of a stream carries all of them. */
const snippetCharsMax = 1_000;
