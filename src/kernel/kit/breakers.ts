import {
  nextBreaker,
  servingBreaker,
  type Breaker,
  type BreakerEvent,
  type BreakerPolicy,
} from './breaker.ts';
import { ownAccount } from './caller.ts';
import type { Clock } from './clock.ts';
import { Shares } from './shares.ts';

/** `unknown`: the call ended without showing whether the server answers. */
export type CallVerdict = 'answered' | 'away' | 'unknown';

/** Reports the end of a call; only the first report counts. */
export type EndCall = (verdict: CallVerdict) => void;

interface BreakersOptions<Id> {
  readonly policy: BreakerPolicy;
  readonly clock: Clock;
  /** Sends a small request with a deadline of its own. An exception counts as `unknown`. */
  readonly probe: (id: Id, signal: AbortSignal) => Promise<CallVerdict>;
  /** Interval between checks for servers that are due. Unit: ms. */
  readonly everyMs?: number;
  readonly onRest?: (id: Id) => void;
}

/** Concurrent calls to a resting server; half of them may be of one account. */
const trialsMax = 8;

/** Breakers by server, created on demand. Ids come from configured lists, so their number is bounded. */
export class Breakers<Id extends string | number> {
  readonly #options: BreakersOptions<Id>;
  readonly #breakers = new Map<Id, Breaker>();
  readonly #trials = new Map<Id, Shares>();
  readonly #probing = new Set<Id>();
  #resting = 0;
  readonly #stopping = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(options: BreakersOptions<Id>) {
    this.#options = options;
    this.#timer = setInterval(() => this.probeDue(), options.everyMs ?? 1_000).unref();
  }

  /** Asked for each call, before a list of its servers is made. */
  get hasResting(): boolean {
    return this.#resting > 0;
  }

  isResting(id: Id): boolean {
    return this.#at(id).phase === 'resting';
  }

  /** The servers that are not resting, in their order; all of them, as they came, where all rest or none does. */
  candidates(ids: readonly Id[]): readonly Id[] {
    if (!ids.some((id) => this.isResting(id))) return ids;
    const serving = ids.filter((id) => !this.isResting(id));
    return serving.length > 0 ? serving : ids;
  }

  /** Lets a call through; null where the server rests and its trials, or this account's half of them, are taken. */
  begin(id: Id, account = ownAccount): EndCall | null {
    const trials = this.isResting(id) ? this.#trialsOf(id) : null;
    if (trials?.take(account) === false) return null;
    let isOver = false;
    return (verdict) => {
      if (isOver) return;
      isOver = true;
      trials?.give(account);
      if (verdict !== 'unknown') this.#change(id, verdict);
    };
  }

  /** Time until one of them is probed; 0 where one does not rest. Unit: ms. */
  waitMs(ids: readonly Id[]): number {
    const now = this.#options.clock.monotonic();
    const waits = ids.map((id) => {
      const breaker = this.#at(id);
      return breaker.phase === 'resting' ? Math.max(0, breaker.until - now) : 0;
    });
    return waits.length === 0 ? 0 : Math.min(...waits);
  }

  /** Reports a probe made elsewhere that found the server away. */
  rest(id: Id): void {
    this.#change(id, 'probed-away');
  }

  /** Probes suspected servers and resting ones that are due. A timer calls it. */
  probeDue(): void {
    const now = this.#options.clock.monotonic();
    for (const [id, breaker] of this.#breakers)
      if (breaker.phase === 'suspected' || (breaker.phase === 'resting' && now >= breaker.until))
        void this.#probe(id);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#stopping.abort(new Error('closed'));
  }

  #at(id: Id): Breaker {
    return this.#breakers.get(id) ?? servingBreaker;
  }

  #trialsOf(id: Id): Shares {
    const trials = this.#trials.get(id) ?? new Shares(trialsMax);
    this.#trials.set(id, trials);
    return trials;
  }

  #change(id: Id, event: BreakerEvent): void {
    const { clock, policy, onRest } = this.#options;
    const before = this.#at(id);
    const after = nextBreaker(before, event, clock.monotonic(), policy);
    this.#breakers.set(id, after);
    this.#resting += Number(after.phase === 'resting') - Number(before.phase === 'resting');
    if (after.phase === 'suspected') void this.#probe(id);
    if (after.phase === 'resting' && before.phase !== 'resting') onRest?.(id);
  }

  async #probe(id: Id): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted || this.#probing.has(id)) return;
    this.#probing.add(id);
    try {
      const verdict = await this.#options.probe(id, signal);
      if (verdict !== 'unknown') this.#change(id, verdict === 'away' ? 'probed-away' : verdict);
    } catch {
      // Shows nothing about the server, which is probed again later.
    } finally {
      this.#probing.delete(id);
    }
  }
}
