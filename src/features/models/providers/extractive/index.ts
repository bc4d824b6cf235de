import { countAll } from '../../../../kernel/kit/count-tokens.ts';
import type { WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import { countTokens } from '../../../../kernel/kit/words.ts';
import { plainUsage } from '../../sound-usage.ts';
import { needsModel } from '../../upstream-fault.ts';
import type { Model, ModelEvent, ModelRequest, OfferedModel, Provider } from '../../model.ts';
import type { Likeness } from '../../likeness.ts';
import { rankByHeading } from './by-heading.ts';
import { rankByLikeness } from './by-likeness.ts';
import { namedFirst } from './by-name.ts';
import { choose } from './choose.ts';
import { compose } from './compose.ts';
import { createEvidence } from './evidence.ts';
import { rankByReader } from './by-reader.ts';
import { toQuestion } from './question.ts';
import { rank } from './rank.ts';
import { readPassages } from './units.ts';

interface ExtractiveOptions {
  readonly name: string;
  /** Read when the first question with sources comes; about 10 MB. */
  readonly vectors: () => WordVectors;
  /** Compares meanings where this process has the encoder; null ranks by words alone. */
  readonly likeness?: Likeness | null;
}

/**
 * The default that ships: quotes sentences of `request.sources` that answer the last question, each with its citation,
 * and says so when none does. The same request always gets the same answer. Throws Fault `service_unavailable`, final,
 * for requests that only a language model can answer.
 */
export function openExtractiveProvider({ name, vectors, likeness = null }: ExtractiveOptions): Provider {
  let loaded: WordVectors | null = null;
  const model: Model = {
    name: 'extractive',
    capabilities: {
      tools: false,
      jsonSchema: false,
      images: false,
      documents: false,
      reasoning: false,
      prefill: false,
      generates: false,
    },
    contextTokensMax: null,
    outputTokensMax: null,
    async *stream(request, signal) {
      signal.throwIfAborted();
      requireNoGeneration(request);
      const question = toQuestion(request);
      const known = (loaded ??= vectors());
      const sources = namedFirst(question.text, request.sources ?? [], known);
      const read = readPassages(sources);
      const ranked = rank(question, sources, read, known);
      const byHeading = await rankByHeading(ranked, question, likeness, signal, request.account);
      const byMeaning = await rankByLikeness(byHeading, question, likeness, signal, request.account);
      const asked = { question, sources, read };
      const best = await rankByReader(byMeaning, asked, likeness, signal, request.account);
      const choice =
        sources.length === 0 ? null : choose(best, question, createEvidence(question, sources, read, known));
      yield* toBatches(compose(question, sources, read, choice), request, signal);
    },
    countTokens: (request, signal) => countAll(textsOf(request), signal),
  };
  const offered: readonly OfferedModel[] = [
    { model, created: 0, ownedBy: 'nestor', price: null, router: false },
  ];
  return {
    name,
    type: 'extractive',
    models: () => offered,
    health: () => 'ok',
    refresh: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function requireNoGeneration({ tools, toolChoice, format }: ModelRequest): void {
  const calls = tools.length > 0 && toolChoice !== 'none';
  if (calls || format.type !== 'text') throw needsModel();
}

/** The text as a stream, cut at a stop sequence and at the limit of tokens. */
async function* toBatches(
  text: string,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[]> {
  const stopped = cutAtStop(text, request.stop);
  const { kept, length } = cutAtTokens(stopped.text, request.outputTokensMax);
  for (const piece of toPieces(kept)) {
    signal.throwIfAborted();
    yield [{ type: 'text-delta', text: piece }];
  }
  const usage = plainUsage(await countAll(textsOf(request), signal), countTokens(kept));
  const stopSequence = length ? null : stopped.sequence;
  const reason = length ? 'length' : stopSequence === null ? 'end' : 'stop-sequence';
  yield [
    { type: 'usage', usage },
    { type: 'finish', reason, stopSequence },
  ];
}

function cutAtStop(text: string, stop: readonly string[]): { text: string; sequence: string | null } {
  let end = text.length;
  let sequence: string | null = null;
  for (const one of stop) {
    const at = one === '' ? -1 : text.indexOf(one);
    if (at >= 0 && at < end) [end, sequence] = [at, one];
  }
  return { text: text.slice(0, end), sequence };
}

function cutAtTokens(text: string, tokensMax: number | null): { kept: string; length: boolean } {
  if (tokensMax === null || countTokens(text) <= tokensMax) return { kept: text, length: false };
  let kept = '';
  for (const word of text.split(/(?<=\s)/)) {
    if (countTokens(kept + word) > tokensMax) break;
    kept += word;
  }
  return { kept: kept.trimEnd(), length: true };
}

/** Everything that is read, sources included. */
function textsOf({ system, turns, sources = [] }: ModelRequest): readonly string[] {
  const texts = [...system, ...sources.flatMap(({ title, text }) => [title, text])];
  for (const turn of turns) {
    const parts = turn.role === 'tool' ? turn.results.flatMap((result) => result.parts) : turn.parts;
    for (const part of parts) if (part.type === 'text') texts.push(part.text);
  }
  return texts;
}

const wordsPerPiece = 6;

/** A text in pieces of a few words, which together are the text. Blanks stand in front of the words behind them. */
export function* toPieces(text: string): Generator<string> {
  let from = 0;
  let to = 0;
  let words = 0;
  for (const word of text.matchAll(/\S+/g)) {
    if (words === wordsPerPiece) {
      yield text.slice(from, to);
      from = to;
      words = 0;
    }
    to = word.index + word[0].length;
    words++;
  }
  if (words > 0) yield text.slice(from);
}
