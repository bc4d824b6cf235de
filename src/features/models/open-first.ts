import { Fault, type FaultCode } from '../../kernel/faults.ts';
import type { Breakers, EndCall } from '../../kernel/kit/breakers.ts';
import type { Balancer } from './balance/balancer.ts';
import { countedStream } from './balance/counted-stream.ts';
import type { RunningCall } from './balance/load.ts';
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

interface Choice {
  readonly backend: Backend;
  /** Whether others stand at its place. */
  readonly isShared: boolean;
}

export interface OpenDependencies {
  /** Throws Fault `invalid_model`. */
  readonly candidateOf: (name: string) => Candidate;
  readonly breakers: Breakers<string>;
  readonly balancer: Balancer;
  readonly onBackendFailure: (failure: BackendFailure) => void;
}

/** Faults of a backend, after which the next one may be asked. All others are the answer to this very request. */
const movesOn: ReadonlySet<FaultCode> = new Set(['service_unavailable', 'gateway_timeout', 'bad_gateway']);

export const isBackendFault = (error: unknown): error is Fault =>
  error instanceof Fault && movesOn.has(error.code);

/**
 * Asks the backends of each name in turn until one begins to answer. Those that rest are passed by, unless all do:
 * then a bounded number of calls try them. Throws the last fault; when no backend could be asked at all,
 * `service_unavailable`. Its wait is the true one: until a backend that rests is asked again.
 */
export async function openFirst(
  names: readonly string[],
  request: ModelRequest,
  signal: AbortSignal,
  dependencies: OpenDependencies,
): Promise<OpenedStream> {
  const { candidateOf, breakers, balancer, onBackendFailure } = dependencies;
  const candidates = names.map(candidateOf);
  const allIds = () => candidates.flatMap(({ ranks }) => idsOf(ranks));
  const takeable = breakers.hasResting ? new Set(breakers.candidates(allIds())) : null;
  let last: Fault | null = null;
  for (const { name, entry, ranks } of candidates) {
    for (const { backend, isShared } of orderOf(ranks, takeable, balancer, request)) {
      signal.throwIfAborted();
      const end = breakers.begin(backend.id, request.account);
      if (end === null) continue;
      try {
        const answer = () => attempt(backend.offered, request, signal, end);
        const events = await (isShared ? counted(answer, balancer.begin(backend), signal) : answer());
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
  const ids = allIds();
  throw withWait(last, ids.length, breakers.waitMs(ids));
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

/** Counts a call to a backend that shares its place with others. */
async function counted(
  answer: () => Promise<OpenedStream['events']>,
  call: RunningCall,
  signal: AbortSignal,
): Promise<OpenedStream['events']> {
  try {
    const events = await answer();
    call.begun();
    return countedStream(events, call, signal);
  } catch (error) {
    if (isBackendFault(error)) call.failed();
    call.over();
    throw error;
  }
}

/** Place by place, balanced within each. Backends of a provider that is down come last of all. `takeable` null: all are. */
function orderOf(
  ranks: readonly Rank[],
  takeable: ReadonlySet<string> | null,
  balancer: Balancer,
  request: ModelRequest,
): readonly Choice[] {
  const usual: Choice[] = [];
  const doubtful: Choice[] = [];
  for (const { key, members } of ranks) {
    const open = takeable === null ? members : members.filter(({ backend }) => takeable.has(backend.id));
    for (const backend of balancer.order({ key, members: open }, request))
      (backend.provider.health() === 'down' ? doubtful : usual).push({
        backend,
        isShared: members.length > 1,
      });
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
