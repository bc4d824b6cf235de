import { toWire } from '../../../../kernel/kit/wire-names.ts';
import type { IndexAdministration, IndexSource as Source, NewIndexSource } from '../../administration.ts';
import type { AddSourceRequest, IndexSource, RemovedSource } from './schema.ts';

export function toNewSource({ pages_max, ...rest }: AddSourceRequest): NewIndexSource {
  return pages_max === undefined ? rest : { ...rest, pagesMax: pages_max };
}

export function toSource({ dueAtMs: nextRefreshAtMs, options, outcome, ...source }: Source): IndexSource {
  const { include, exclude, hosts, ...bounds } = options;
  return {
    object: 'index_source',
    ...toWire({ ...source, nextRefreshAtMs }),
    options: { ...toWire(bounds), include: [...include], exclude: [...exclude], hosts: [...hosts] },
    outcome: outcome && { ...outcome, failures: [...outcome.failures] },
  };
}

export function toRemoval({
  id,
  location,
  documents,
}: Awaited<ReturnType<IndexAdministration['remove']>>): RemovedSource {
  return { object: 'index_source_removal', id, location, documents_removed: documents };
}
