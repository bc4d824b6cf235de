import { Fault, toFault } from '../../../kernel/faults.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import type { Turn } from '../store/batch-turns.ts';
import type { RowOrder } from './row-order.ts';
import { gather, type Answered, type OpenAnswerer, type RowAnswerer, type RowResult } from './rows.ts';
import { endedEachTime, isGuilty, isSuspect } from './starts.ts';
import type { Traffic } from './traffic.ts';

export interface AskOptions {
  readonly open: OpenAnswerer;
  /** Throws Fault `storage_quota_exceeded` where an account has no room for results. */
  readonly admit: (accountId: string, bytes: number) => Promise<unknown>;
  readonly traffic: Pick<Traffic, 'isDue' | 'quiet'>;
  /** Rows that are asked at the same time. */
  readonly parallel: number;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** After this no further row of a piece is begun, and another account may be next. */
const turnMs = 1_000;
const turnBytesMax = 1_048_576;

/** What a turn came to; `later` is why no further row of it can be answered now. */
interface Asked {
  readonly answered: Answered;
  readonly later: Fault | null;
}

interface Unstored {
  /** Bytes of results of an account that are there and not stored yet. */
  readonly unstored: (accountId: string) => number;
}

/** Asks rows of a piece, when it is its turn, until it is done or its time is over. Never rejects. */
export async function askRows(
  turn: Turn,
  order: RowOrder,
  signal: AbortSignal,
  { unstored, ...options }: AskOptions & Unstored,
): Promise<Asked> {
  const { open, admit, onError } = options;
  const { batch, input } = turn;
  const place = order.take();
  const rows = new TurnRows(input.firstLine + input.done, order, onError);
  try {
    const answerer = await open(batch);
    await place.reached;
    await admit(batch.accountId, unstored(batch.accountId));
    await begin(turn, rows, { answerer, order, signal, ...options });
  } catch (error) {
    rows.stop(error);
  }
  place.leave();
  await rows.settled();
  return { answered: rows.answered(), later: signal.aborted ? null : rows.later };
}

interface Beginning extends Pick<AskOptions, 'traffic' | 'parallel' | 'clock'> {
  readonly answerer: RowAnswerer;
  readonly order: RowOrder;
  readonly signal: AbortSignal;
}

/** Begins one row after another, so that no more than one holds the event loop between two turns of it. */
async function begin(
  { input }: Turn,
  rows: TurnRows,
  { answerer, order, signal, traffic, parallel, clock }: Beginning,
): Promise<void> {
  const isOneByOne = isSuspect(input);
  const room = { rows: isOneByOne ? 1 : parallel, shortRows: isOneByOne ? 1 : answerer.atOnce };
  const untilMs = clock.monotonic() + turnMs;
  const lines = input.content.split('\n').slice(input.done);
  const goesOn = () => clock.monotonic() < untilMs && rows.bytes < turnBytesMax && !isOneByOne;
  for (const [index, text] of lines.entries()) {
    // Asked first, because waiting for nothing costs a row more than being read.
    if (!order.hasRoom(room)) await order.room(room);
    if (traffic.isDue) await traffic.quiet();
    if (rows.later !== null || signal.aborted || (index > 0 && !goesOn())) return;
    const line = rows.firstLine + index;
    if (text === '') rows.pass(index);
    else if (isGuilty(input)) rows.put(index, answerer.refuse(text, line, endedEachTime()));
    else rows.begin(index, text.length, () => answerer.answer(text, line, signal));
  }
}

/** Rows of one turn. */
class TurnRows {
  readonly firstLine: number;
  /** Null for a blank line, undefined while it is under way. */
  readonly #results: (RowResult | null | undefined)[] = [];
  readonly #order: RowOrder;
  readonly #onError: (error: unknown) => void;
  #underWay = 0;
  #settled: PromiseWithResolvers<void> | null = null;
  /** Of results so far. */
  bytes = 0;
  later: Fault | null = null;

  constructor(firstLine: number, order: RowOrder, onError: (error: unknown) => void) {
    this.firstLine = firstLine;
    this.#order = order;
    this.#onError = onError;
  }

  pass(index: number): void {
    this.#results[index] = null;
  }

  put(index: number, result: RowResult): void {
    this.#results[index] = result;
    this.bytes += result.text.length;
  }

  begin(index: number, characters: number, answer: () => Promise<RowResult>): void {
    this.#results[index] = undefined;
    this.#underWay++;
    this.#order.begin(characters);
    void this.#take(index, characters, answer);
  }

  async #take(index: number, characters: number, answer: () => Promise<RowResult>): Promise<void> {
    try {
      this.put(index, await answer());
    } catch (error) {
      this.stop(error);
    }
    this.#order.end(characters);
    if (--this.#underWay === 0) this.#settled?.resolve();
  }

  stop(error: unknown): void {
    if (!(error instanceof Fault)) this.#onError(error);
    this.later ??= toFault(error);
  }

  /** Called once, when no further row begins. */
  async settled(): Promise<void> {
    if (this.#underWay === 0) return;
    this.#settled = Promise.withResolvers();
    await this.#settled.promise;
  }

  answered(): Answered {
    return gather(this.firstLine, this.#results);
  }
}
