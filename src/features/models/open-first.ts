import { Fault, type FaultCode } from '../../kernel/faults.ts';
import type { Breakers, EndCall } from '../../kernel/kit/breakers.ts';
import { streamContinued } from './continuation.ts';
import { awaitFirstOutput } from './first-output.ts';
import type { ModelRequest } from './model.ts';
import type { BackendFailure, CatalogEntry, OpenedStream, Backend, Rank } from './registry.ts';
import { withSoundUsage } from './sound-usage.ts';

export interface Candidate {
  /** The name that was asked for. */
  readonly name: string;
  readonly entry: CatalogEntry;
  readonly ranks: readonly Rank[];
}

export interface OpenDependencies {
  readonly breakers: Breakers<string>;
  readonly balancer: Balancer;
  readonly onBackendFailure: (failure: BackendFailure) => void;
}

/** Faults of a backend, after which the next one may be asked. All others are the answer to this very request. */
const movesOn: ReadonlySet<FaultCode> = new Set(['service_unavailable', 'gateway_timeout', 'bad_gateway']);

export const isBackendFault = (error: unknown): error is Fault =>
  error instanceof Fault && movesOn.has(error.code);

/**
 * Asks the backends of each candidate in turn until one begins to answer. Those that rest are passed by, unless all do:
 * then a bounded number of calls try them. Throws the last fault; when no backend could be asked at all,
 * `service_unavailable`. Its wait is the true one: until a backend that rests is asked again.
 */
export async function openFirst(
  candidates: readonly Candidate[],
  request: ModelRequest,
  signal: AbortSignal,
  dependencies: OpenDependencies,
): Promise<OpenedStream> {
  const { breakers, onBackendFailure } = dependencies;
  const ids = new Set(candidates.flatMap(({ ranks }) => idsOf(ranks)));
  const takeable = new Set(breakers.candidates([...ids]));
  let last: Fault | null = null;
  for (const { name, entry, ranks } of candidates) {
    for (const backend of orderOf(ranks, takeable, dependencies.balancer)) {
      signal.throwIfAborted();
      const end = breakers.begin(backend.id, request.account);
      if (end === null) continue;
      try {
        const events = await attempt(backend, request, signal, end);
        const { capabilities } = backend.offered.model;
        return {
          name,
          entry: entry.capabilities === capabilities ? entry : { ...entry, capabilities },
          events,
        };
      } catch (error) {
        if (!isBackendFault(error)) throw error;
        onBackendFailure({ id: backend.id, fault: error });
        last = error;
      }
    }
  }
  throw withWait(last, ids.size, breakers.waitMs([...ids]));
}

function streamOf({ offered: { model } }: Backend, request: ModelRequest, signal: AbortSignal) {
  return withSoundUsage(streamContinued(model, request, signal), request, model.contextTokensMax);
}

async function attempt(backend: Backend, request: ModelRequest, signal: AbortSignal, end: EndCall) {
  try {
    const events = await awaitFirstOutput(streamOf(backend, request, signal));
    end('answered');
    return events;
  } catch (error) {
    signal.throwIfAborted();
    // Any other error is a defect of this server and shows nothing about the backend.
    if (error instanceof Fault) end(error.away ? 'away' : 'answered');
    throw error;
  } finally {
    end('unknown');
  }
}

/** Place by place, by weight within each. Backends of a provider that is down come last of all. */
function orderOf(
  ranks: readonly Rank[],
  takeable: ReadonlySet<string>,
  balancer: Balancer,
): readonly Backend[] {
  const usual: Backend[] = [];
  const doubtful: Backend[] = [];
  for (const { key, members } of ranks) {
    const open = members.filter(({ backend }) => takeable.has(backend.id));
    const byId = new Map(open.map(({ backend }) => [backend.id, backend]));
    const weighted = open.map(({ backend, weight }) => ({ id: backend.id, weight }));
    for (const id of balancer.order(key, weighted)) {
      const backend = byId.get(id);
      if (backend !== undefined) (backend.provider.health() === 'down' ? doubtful : usual).push(backend);
    }
  }
  return [...usual, ...doubtful];
}

export function idsOf(ranks: readonly Rank[]): readonly string[] {
  return ranks.flatMap(({ members }) => members.map(({ backend }) => backend.id));
}

/** The fault for the caller. While every backend rests it carries the wait until one is tried again. */
function withWait(last: Fault | null, backends: number, restMs: number): Fault {
  if (last !== null && (last.code !== 'service_unavailable' || (last.retryAfterMs ?? 0) >= restMs))
    return last;
  const reason =
    backends === 0
      ? 'nothing that this name runs on is offered now'
      : 'every backend rests, and enough calls try them';
  return new Fault('service_unavailable', last?.message, {
    cause: last?.cause ?? new Error(reason),
    away: true,
    retryAfterMs: Math.max(1_000, Math.ceil(restMs)),
  });
}

interface Weighted {
  readonly id: string;
  readonly weight: number;
}

interface Balancer {
  /** The members in the order in which a call tries them: the one whose turn it is first. */
  order(key: string, members: readonly Weighted[]): readonly string[];
}

/**
 * Smooth weighted round robin: each call adds every member's weight to its credit, takes the one with most credit and
 * takes the sum of weights off it, so that weights 3 and 1 alternate as a a b a and never as a a a b. A member that is
 * missing for a while keeps its credit.
 */
export function createBalancer(): Balancer {
  const credits = new Map<string, Map<string, number>>();
  return {
    order(key, members) {
      const [only] = members;
      if (only === undefined || members.length === 1) return members.map(({ id }) => id);
      const credit = credits.get(key) ?? new Map<string, number>();
      credits.set(key, credit);
      let sum = 0;
      for (const { id, weight } of members) {
        credit.set(id, (credit.get(id) ?? 0) + weight);
        sum += weight;
      }
      const of = (id: string): number => credit.get(id) ?? 0;
      const order = members.map(({ id }) => id).sort((a, b) => of(b) - of(a));
      const [first = only.id] = order;
      credit.set(first, of(first) - sum);
      return order;
    },
  };
}
