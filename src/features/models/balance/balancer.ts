import type { Clock } from '../../../kernel/kit/clock.ts';
import type { ModelRequest } from '../model.ts';
import type { Backend, Rank } from '../registry.ts';
import { createLoads, type RunningCall } from './load.ts';
import { orderByPrefix } from './prefix-order.ts';
import { hashPrefix } from './prompt-prefix.ts';
import { createWeightedTurns } from './weighted-turns.ts';

export const balances = ['auto', 'weight', 'prefix', 'latency'] as const;
export type Balance = (typeof balances)[number];

export interface Balancer {
  /** Members of one place, the one to ask first before the others. */
  order(rank: Rank, request: ModelRequest): readonly Backend[];
  begin(backend: Backend): RunningCall;
}

/**
 * Chooses among weighted neighbours: in turns, by what a backend has kept of the prompt, or by how long it lets callers wait.
 * `auto` is by prompt where all are the same model, and in turns where they are not.
 */
export function createBalancer(balance: Balance, clock: Clock): Balancer {
  const loads = createLoads(clock);
  const takeTurns = createWeightedTurns();
  return {
    order({ key, members }, request) {
      if (members.length <= 1) return members.map(({ backend }) => backend);
      const by = balance === 'auto' ? chooseFor(members) : balance;
      if (by === 'prefix') return orderByPrefix(members, hashPrefix(request), loads);
      const turns = takeTurns({ key, members });
      if (by === 'weight') return turns;
      const weights = new Map(members.map(({ backend, weight }) => [backend, weight]));
      const costOf = (backend: Backend): number => loads.expectedMs(backend.id) / (weights.get(backend) ?? 1);
      // Sorting keeps turns among equals, such as those of which nothing is known.
      return [...turns].sort((a, b) => costOf(a) - costOf(b));
    },
    begin: ({ id }) => loads.begin(id),
  };
}

function chooseFor(members: Rank['members']): 'prefix' | 'weight' {
  const names = new Set(members.map(({ backend }) => backend.offered.model.name));
  return names.size === 1 ? 'prefix' : 'weight';
}
