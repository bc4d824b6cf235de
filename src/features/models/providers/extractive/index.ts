import { Fault } from '../../../../kernel/faults.ts';
import { countAll } from '../../../../kernel/kit/count-tokens.ts';
import { countTokens } from '../../../../kernel/kit/words.ts';
import type { WordVectors } from '../../../../kernel/kit/word-vectors.ts';
import type { Model, ModelEvent, ModelRequest, OfferedModel, Provider } from '../../model.ts';
import { compose } from './compose.ts';
import { toPieces } from './pieces.ts';
import { toQuestion } from './question.ts';
import { rank } from './rank.ts';

export interface ExtractiveParts {
  readonly name: string;
  /** Read when the first question with sources comes; about 10 MB. */
  readonly vectors: () => WordVectors;
}

/** What is told where only a model that writes could answer. One line, with the key and the page that help. */
const needsModel =
  'This request needs a language model and none is configured: set `providers` in the configuration, put a GGUF file into the data folder, or run `nestor models pull`; see docs/guide/models.md.';

/**
 * The default that ships: quotes sentences of `request.sources` that answer the last question, each with its citation,
 * and says so when none does. The same request always gets the same answer. Throws Fault `service_unavailable`, final,
 * for what only a model that writes can do.
 */
export function openExtractiveProvider({ name, vectors }: ExtractiveParts): Provider {
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
      const sources = request.sources ?? [];
      const question = toQuestion(request);
      const ranked = sources.length === 0 ? null : rank(question, sources, (loaded ??= vectors()));
      yield* toBatches(compose(question, sources, ranked), request, signal);
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
  if (calls || format.type !== 'text') {
    // A repeat cannot succeed; the wait is there because every 503 tells one.
    throw new Fault('service_unavailable', needsModel, { retryAfterMs: 60_000, final: true });
  }
}

/** The text as a stream, cut at a stop sequence and at the limit of tokens. */
async function* toBatches(
  text: string,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[]> {
  const stopped = cutAtStop(text, request.stop);
  const { told, length } = cutAtTokens(stopped.text, request.outputTokensMax);
  for (const piece of toPieces(told)) {
    signal.throwIfAborted();
    yield [{ type: 'text-delta', text: piece }];
  }
  const usage = {
    input: await countAll(textsOf(request), signal),
    output: countTokens(told),
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 0,
  };
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

function cutAtTokens(text: string, tokensMax: number | null): { told: string; length: boolean } {
  if (tokensMax === null || countTokens(text) <= tokensMax) return { told: text, length: false };
  const words = text.split(/(?<=\s)/);
  let kept = '';
  for (const word of words) {
    if (countTokens(kept + word) > tokensMax) break;
    kept += word;
  }
  return { told: kept.trimEnd(), length: true };
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
