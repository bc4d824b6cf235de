import { Fault, type FaultCode } from '../../kernel/faults.ts';
import type { Breakers, EndCall } from '../../kernel/kit/breakers.ts';
import { streamContinued } from './continuation.ts';
import { awaitFirstOutput } from './first-output.ts';
import type { ModelRequest, OfferedModel } from './model.ts';
import type { BackendFailure, CatalogEntry, OpenedStream, Backend, Rank } from './registry.ts';
import { withSoundUsage } from './sound-usage.ts';

export interface Candidate {
  readonly name: string;
  readonly entry: CatalogEntry;
  readonly ranks: readonly Rank[];
}

export interface OpenDependencies {
  readonly breakers: Breakers<string>;
  readonly balance: ReturnType<typeof createBalancer>;
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
    for (const backend of orderOf(ranks, takeable, dependencies.balance)) {
      signal.throwIfAborted();
      const end = breakers.begin(backend.id, request.account);
      if (end === null) continue;
      try {
        const events = await attempt(backend.offered, request, signal, end);
        const { capabilities } = backend.offered.model;
        const isSame = entry.capabilities === capabilities;
        return { name, entry: isSame ? entry : { ...entry, capabilities }, events };
      } catch (error) {
        if (!isBackendFault(error)) throw error;
        onBackendFailure({ id: backend.id, fault: error });
        last = error;
      }
    }
  }
  throw withWait(last, ids.size, breakers.waitMs([...ids]));
}

async function attempt({ model }: OfferedModel, request: ModelRequest, signal: AbortSignal, end: EndCall) {
  try {
    const stream = streamContinued(model, request, signal);
    const events = await awaitFirstOutput(withSoundUsage(stream, request, model.contextTokensMax));
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
  balance: OpenDependencies['balance'],
): readonly Backend[] {
  const usual: Backend[] = [];
  const doubtful: Backend[] = [];
  for (const { key, members } of ranks) {
    const open = members.filter(({ backend }) => takeable.has(backend.id));
    for (const backend of balance({ key, members: open }))
      (backend.provider.health() === 'down' ? doubtful : usual).push(backend);
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

/**
 * Smooth weighted round robin: each call adds every member's weight to its credit, puts the one with most credit first and
 * takes the sum of weights off it, so that weights 3 and 1 alternate as a a b a and never as a a a b. A member that is
 * missing for a while keeps its credit.
 */
export function createBalancer() {
  const credits = new Map<string, Map<string, number>>();
  return ({ key, members }: Rank): readonly Backend[] => {
    const backends = members.map(({ backend }) => backend);
    if (members.length <= 1) return backends;
    const credit = credits.get(key) ?? new Map<string, number>();
    credits.set(key, credit);
    const of = ({ id }: Backend): number => credit.get(id) ?? 0;
    for (const { backend, weight } of members) credit.set(backend.id, of(backend) + weight);
    const order = backends.sort((a, b) => of(b) - of(a));
    const [first] = order;
    const sum = members.reduce((all, { weight }) => all + weight, 0);
    if (first !== undefined) credit.set(first.id, of(first) - sum);
    return order;
  };
}
