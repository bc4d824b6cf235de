import type { Backend, Rank } from '../registry.ts';
import { addText, toFraction } from './hash.ts';
import type { Loads } from './load.ts';

/** A backend takes at most this many times its share of the calls under way. */
const loadFactor = 1.25;

/**
 * Each prompt has its own order of the backends, which a backend that comes or goes changes only for prompts that it is
 * first for: weighted rendezvous hashing. The first that is not full is asked. Mirrokni, Thorup and Zadimoghaddam,
 * "Consistent Hashing with Bounded Loads", 2018.
 */
export function orderByPrefix(
  members: Rank['members'],
  prefix: number,
  loads: Pick<Loads, 'running'>,
): readonly Backend[] {
  const weights = members.reduce((sum, { weight }) => sum + weight, 0);
  const calls = members.reduce((sum, { backend }) => sum + loads.running(backend.id), 1);
  return members
    .map(({ backend, weight }) => ({
      backend,
      isFull: loads.running(backend.id) >= Math.ceil((loadFactor * calls * weight) / weights),
      rank: -weight / Math.log(toFraction(addText(prefix, backend.id))),
    }))
    .sort((a, b) => Number(a.isFull) - Number(b.isFull) || b.rank - a.rank)
    .map(({ backend }) => backend);
}
