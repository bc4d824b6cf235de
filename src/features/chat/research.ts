import { Fault } from '../../kernel/faults.ts';
import type { OnFailure } from '../../kernel/kit/failure-log.ts';
import {
  contextBudgets,
  type PageReader,
  type Found,
  type Search,
  type TextBudget,
} from '../search/feature.ts';
import { roundRobin, attribute, contextBlock, neutralise } from '../tools/feature.ts';
import type { StructuredGenerator } from './structured-generator.ts';
import type { ChatEvent, ChatSource } from './events.ts';
import { planFirst, planNext } from './plan.ts';
import { depthOf, type SearchDepth } from './profiles.ts';
import type { ChatQuestion, WebSearchOptions } from './question.ts';
import { readPages, type Read } from './reading.ts';

/** Timeout of one round of searches. Unit: ms. */
const roundTimeoutMs = 30_000;
const knownSourcesMax = 20;
const knownCharsMax = 600;

export interface Findings {
  /** Best first. Where a note was taken of a page, it is the text. */
  readonly found: readonly Found[];
  /** Queries that were asked; 0 where no search was needed. */
  readonly queries: number;
  readonly depth: SearchDepth;
}

interface ResearchDependencies {
  readonly onFailure: OnFailure;
  readonly search: Search;
  readonly pages: PageReader;
  readonly generator: StructuredGenerator;
  /** `YYYY-MM-DD`. */
  readonly today: string;
}

/**
 * Searches in rounds until enough is known or the depth is reached, emitting each step. Throws what the search throws
 * when not even the first round succeeds.
 */
export async function* research(
  question: ChatQuestion,
  options: WebSearchOptions,
  dependencies: ResearchDependencies,
  signal: AbortSignal,
): AsyncGenerator<readonly ChatEvent[], Findings> {
  const depth = depthOf(question.profile, options.isPro, question.effort);
  const run = new ResearchRun(question, options, depth, dependencies, signal);
  yield* run.rounds();
  return { found: run.found(), queries: run.asked, depth };
}

class ResearchRun {
  readonly #question: ChatQuestion;
  readonly #options: WebSearchOptions;
  readonly #depth: SearchDepth;
  readonly #dependencies: ResearchDependencies;
  readonly #signal: AbortSignal;
  readonly #asked: string[] = [];
  readonly #rounds: (readonly Found[])[] = [];
  readonly #reads = new Map<string, Read>();
  readonly #tried = new Set<string>();

  constructor(
    question: ChatQuestion,
    options: WebSearchOptions,
    depth: SearchDepth,
    dependencies: ResearchDependencies,
    signal: AbortSignal,
  ) {
    this.#question = question;
    this.#options = options;
    this.#depth = depth;
    this.#dependencies = dependencies;
    this.#signal = signal;
  }

  get asked(): number {
    return this.#asked.length;
  }

  async *rounds(): AsyncGenerator<readonly ChatEvent[]> {
    const { generator, today } = this.#dependencies;
    let plan = await planFirst(this.#question, this.#depth, generator, today);
    for (let round = 1; plan.queries.length > 0; round++) {
      const results = await this.#search(plan.queries, round === 1);
      this.#asked.push(...plan.queries);
      this.#rounds.push(results);
      const { thought, queries } = plan;
      yield [{ type: 'step', step: { type: 'search', thought, queries, results: results.map(toSource) } }];
      if (!generator.generates) return;
      yield* this.#read(results);
      if (round >= this.#depth.roundsMax) return;
      const known = { asked: this.#asked, known: this.#known() };
      plan = await planNext(this.#question, this.#depth, known, generator, today);
    }
  }

  /** Notes first, then the results of the rounds, each round with its best first. */
  found(): readonly Found[] {
    const noted = [...this.#reads.values()].flatMap(({ source, note }) =>
      note === null ? [] : [{ ...source, text: note }],
    );
    const urls = new Set(noted.map(({ url }) => url));
    const others = roundRobin(this.#rounds, Number.MAX_SAFE_INTEGER).filter(({ url }) => !urls.has(url));
    return [...noted, ...others];
  }

  /** One list out of all queries. A query that fails is passed by; all of them fail the first round only. */
  async #search(queries: readonly string[], isFirst: boolean): Promise<readonly Found[]> {
    const deadline = AbortSignal.timeout(roundTimeoutMs);
    const signal = AbortSignal.any([this.#signal, deadline]);
    const { kind, filters, place, safe, resultsMax } = this.#options;
    const query = { kind, filters, place, safe, hitsMax: resultsMax };
    const budget = shareOf(budgetOf(this.#options, this.#dependencies.generator), queries.length);
    const outcomes = await Promise.allSettled(
      queries.map((text) =>
        this.#dependencies.search.find({ ...query, text }, budget, signal, this.#question.accountId),
      ),
    );
    this.#signal.throwIfAborted();
    const rankings = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const [first] = outcomes;
    if (rankings.length === 0 && isFirst && first?.status === 'rejected')
      throw deadline.aborted
        ? new Fault('gateway_timeout', 'The search did not answer in time.')
        : first.reason;
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') this.#dependencies.onFailure('query', outcome.reason);
    return roundRobin(rankings, resultsMax);
  }

  async *#read(results: readonly Found[]): AsyncGenerator<readonly ChatEvent[]> {
    const unread = results.filter(({ url }) => !this.#tried.has(url)).slice(0, this.#depth.pagesPerRoundMax);
    if (unread.length === 0) return;
    for (const { url } of unread) this.#tried.add(url);
    const reads = await readPages(unread, this.#question, this.#dependencies, this.#signal);
    for (const read of reads) this.#reads.set(read.source.url, read);
    if (reads.length === 0) return;
    const pages = reads.map(({ source }) => toSource(source));
    const thought = `Read ${reads.length === 1 ? 'one page' : `${reads.length} pages`} and take notes.`;
    yield [{ type: 'step', step: { type: 'read', thought, pages } }];
  }

  /** The findings so far, for the plan of the next round. */
  #known(): string {
    const lines = this.found()
      .slice(0, knownSourcesMax)
      .map(({ title, text, snippet }) => {
        const body = neutralise((text.trim() === '' ? snippet : text).slice(0, knownCharsMax));
        return `- ${attribute(title)}: ${body}`;
      });
    return lines.length === 0
      ? 'Nothing was found so far.'
      : contextBlock('results', 'This was found so far.', lines.join('\n'));
  }
}

/** The budget of a search. Quoting costs no tokens of a model, so that a model that only quotes reads as much as there is. */
export function budgetOf({ contextSize }: WebSearchOptions, { generates }: StructuredGenerator): TextBudget {
  return contextBudgets[generates ? contextSize : 'high'];
}

function shareOf({ tokensMax, tokensPerPageMax }: TextBudget, queries: number): TextBudget {
  return { tokensMax: Math.ceil(tokensMax / Math.max(1, queries)), tokensPerPageMax };
}

export function toSource({ title, url, date, lastUpdated, snippet }: Found): ChatSource {
  return { title, url, date, lastUpdated, snippet: snippet.slice(0, snippetCharsMax), kind: 'web' };
}

/** Every chunk of a stream carries all of them. */
const snippetCharsMax = 1_000;
