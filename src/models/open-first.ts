import { Fault, type FaultCode } from '../faults.ts';
import type { Balancer } from './balance.ts';
import type { Breakers } from './breakers.ts';
import { streamContinued } from './continuation.ts';
import { awaitFirstOutput } from './first-output.ts';
import type { ModelRequest } from './model.ts';
import type { CatalogEntry, GivenUp, OpenedStream } from './registry.ts';
import type { Backend, Rank } from './target.ts';

export interface Candidate {
  /** As it was asked for. */
  readonly name: string;
  readonly entry: CatalogEntry;
  readonly ranks: readonly Rank[];
}

export interface OpenParts {
  readonly breakers: Breakers;
  readonly balancer: Balancer;
  readonly onGivenUp: (givenUp: GivenUp) => void;
}

/** Faults of a backend, after which the next one may be asked. All others are the answer to this very request. */
const movesOn: ReadonlySet<FaultCode> = new Set(['service_unavailable', 'gateway_timeout', 'bad_gateway']);

export const isBackendFault = (error: unknown): error is Fault =>
  error instanceof Fault && movesOn.has(error.code);

/**
 * Asks the backends of each candidate in turn until one begins to answer. Throws the last fault; when no backend could
 * be asked at all, `service_unavailable` with the time until the first may be.
 */
export async function openFirst(
  candidates: readonly Candidate[],
  request: ModelRequest,
  signal: AbortSignal,
  parts: OpenParts,
): Promise<OpenedStream> {
  const { breakers, onGivenUp } = parts;
  let last: Fault | null = null;
  for (const { name, entry, ranks } of candidates) {
    for (const backend of orderOf(ranks, parts)) {
      signal.throwIfAborted();
      if (!breakers.take(backend.id)) continue;
      try {
        const events = await attempt(backend, request, signal, breakers);
        const { capabilities } = backend.offered.model;
        return {
          name,
          entry: entry.capabilities === capabilities ? entry : { ...entry, capabilities },
          events,
        };
      } catch (error) {
        if (!isBackendFault(error)) throw error;
        onGivenUp({ id: backend.id, fault: error });
        last = error;
      }
    }
  }
  throw last ?? busyFault(candidates, breakers);
}

async function attempt(backend: Backend, request: ModelRequest, signal: AbortSignal, breakers: Breakers) {
  try {
    const events = await awaitFirstOutput(streamContinued(backend.offered.model, request, signal));
    breakers.report(backend.id, 'success');
    return events;
  } catch (error) {
    if (signal.aborted) {
      breakers.report(backend.id, 'abandon');
      throw signal.reason;
    }
    // A backend that refuses this very request is up; what is no Fault is a defect that says nothing of it.
    const verdict =
      isBackendFault(error) && !error.final ? 'failure' : error instanceof Fault ? 'success' : 'abandon';
    breakers.report(backend.id, verdict);
    throw error;
  }
}

/**
 * Place by place, by weight within each. Backends that may only be probed keep their place when their provider answers,
 * so that a preferred one is found again by one call at a time; of a provider that is down they come last of all.
 */
export function orderOf(ranks: readonly Rank[], { breakers, balancer }: OpenParts): readonly Backend[] {
  const usual: Backend[] = [];
  const doubtful: Backend[] = [];
  for (const { key, members } of ranks) {
    const open = members.filter(({ backend }) => breakers.state(backend.id) !== 'open');
    const byId = new Map(open.map(({ backend }) => [backend.id, backend]));
    const weighted = open.map(({ backend, weight }) => ({ id: backend.id, weight }));
    for (const id of balancer.order(key, weighted)) {
      const backend = byId.get(id);
      if (backend === undefined) continue;
      const isDoubtful = breakers.state(id) === 'probe' && backend.provider.health() === 'down';
      (isDoubtful ? doubtful : usual).push(backend);
    }
  }
  return [...usual, ...doubtful];
}

function busyFault(candidates: readonly Candidate[], breakers: Breakers): Fault {
  const waits = candidates.flatMap(({ ranks }) =>
    ranks.flatMap(({ members }) => members.map(({ backend }) => breakers.waitMs(backend.id))),
  );
  const reason =
    waits.length === 0 ? 'nothing that this name runs on is offered now' : 'no backend takes calls now';
  return new Fault('service_unavailable', undefined, {
    cause: new Error(reason),
    retryAfterMs: Math.max(1_000, Math.ceil(waits.length === 0 ? 0 : Math.min(...waits))),
  });
}
