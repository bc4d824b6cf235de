import { ExampleError } from '../../../kernel/commands/exit-codes.ts';
import { Fault, invalidValue } from '../../../kernel/faults.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import { shortId, type Ids } from '../../../kernel/kit/ids.ts';
import { createPageTokens, type PageTokens, type TokenPage } from '../../../kernel/kit/page-tokens.ts';
import { runInSlices } from '../../../kernel/kit/slices.ts';
import type { State } from '../engine.ts';
import { toCaseInSteps, toJsonl, type Example } from '../evaluation/examples.ts';
import type { ExampleRow, ExampleStore } from '../store/examples.ts';
import type { DeciderStore } from '../store/deciders.ts';
import type { OfDecider } from '../store/learning.ts';
import { unknownDecider } from './stored-deciders.ts';

interface Options {
  readonly examples: ExampleStore;
  readonly deciders: Pick<DeciderStore, 'find'>;
  /** Signs page tokens; the same for all processes of a store. */
  readonly secret: string;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Called with examples that were stored. */
  readonly onAdded: (of: OfDecider, added: readonly AddedExample[]) => void;
}

/** What an example is sent as. */
export type GivenExample = Pick<Example, 'state' | 'question' | 'answer'>;

/** Most examples of one call, and of a decider: a fit holds all of them at once. */
export const addedMax = 1_000;
const bounds = { rowsMax: 5_000, bytesMax: 33_554_432 } as const;

/** What the deciders of accounts learn from. What is unknown or foreign is Fault `not_found`. */
export class DeciderExamples {
  readonly #options: Options;
  readonly #tokens: PageTokens;

  constructor(options: Options) {
    this.#options = options;
    this.#tokens = createPageTokens(options.secret, 'examples');
  }

  /**
   * All or none. `admit` is told how many bytes are to be stored, before they are. Throws Fault `invalid_value` for an
   * example that no decider could learn from, and `conflict` where there would be too many.
   */
  async add(
    accountId: string,
    decider: string,
    given: readonly GivenExample[],
    { admit, signal }: { readonly admit: (bytes: number) => Promise<unknown>; readonly signal: AbortSignal },
  ): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
    const { examples, clock, ids, onAdded } = this.#options;
    const read = await runInSlices(readAll(given), signal);
    await admit(read.reduce((sum, { example }) => sum + Buffer.byteLength(example), 0));
    const added = read.map((one) => ({ id: `ex_${shortId(ids)}`, ...one }));
    const rows = added.map(({ id, example }) => ({ id, example }));
    const total = await examples.add({ accountId, decider }, rows, clock.now(), bounds);
    if (total === null) throw unknownDecider();
    if (total === 'full')
      throw new Fault(
        'conflict',
        `A decider has ${bounds.rowsMax} examples of ${bounds.bytesMax / 1_048_576} MiB at most; delete some first`,
      );
    onAdded({ accountId, decider }, added);
    return { ids: added.map(({ id }) => id), total };
  }

  /** Oldest first. Throws Fault `invalid_value` for a foreign token. */
  async list(
    accountId: string,
    decider: string,
    limit: number,
    token: string | null,
  ): Promise<TokenPage<ExampleRow> & { readonly total: number }> {
    await this.#check(accountId, decider);
    const scope = `${accountId}\n${decider}`;
    const afterOrdinal = token === null ? null : this.#tokens.read(scope, token);
    if (token !== null && afterOrdinal === null) throw invalidValue('page_token is invalid', 'page_token');
    const { examples } = this.#options;
    const [found, total] = await Promise.all([
      examples.list(accountId, decider, { afterOrdinal, limit: limit + 1 }),
      examples.count(accountId, decider),
    ]);
    return { ...this.#tokens.toPage(scope, found, limit, ({ ordinal }) => ordinal), total };
  }

  async remove(accountId: string, decider: string, id: string): Promise<void> {
    if (!(await this.#options.examples.remove(accountId, decider, id)))
      throw new Fault('not_found', 'example not found');
  }

  async removeAll(accountId: string, decider: string): Promise<void> {
    await this.#check(accountId, decider);
    await this.#options.examples.removeAll(accountId, decider);
  }

  async #check(accountId: string, decider: string): Promise<void> {
    if ((await this.#options.deciders.find(accountId, decider)) === undefined) throw unknownDecider();
  }
}

interface ReadExample {
  /** JSON. */
  readonly example: string;
  readonly state: State;
}

/** One that was stored. */
export interface AddedExample {
  readonly id: string;
  readonly state: State;
}

/** Checks each as a fit will read it. */
function* readAll(given: readonly GivenExample[]): Generator<void, readonly ReadExample[]> {
  const all: ReadExample[] = [];
  for (const [index, one] of given.entries()) {
    const place = `examples.${index}`;
    const example = { ...one, source: place };
    const state = yield* stateInSteps(example, place);
    if (state.images.length > 0) throw invalidValue('Nothing can be learned from images', `${place}.state`);
    all.push({ example: toJsonl(example), state });
    yield;
  }
  return all;
}

function* stateInSteps(example: Example, place: string): Generator<void, State> {
  try {
    return (yield* toCaseInSteps(example)).state;
  } catch (error) {
    if (!(error instanceof ExampleError)) throw error;
    throw invalidValue(error.message.replace(`${place}: `, ''), place, error);
  }
}
