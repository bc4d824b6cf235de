import { toSeconds, toSecondsOrNull } from '../../../accounts/feature.ts';
import type { IndexAdministration, IndexSource as Source, NewIndexSource } from '../../administration.ts';
import type { AddSourceRequest, IndexSource, RemovedSource } from './schema.ts';

export function toNewSource({ pages_max, ...rest }: AddSourceRequest): NewIndexSource {
  return pages_max === undefined ? rest : { ...rest, pagesMax: pages_max };
}

export function toSource(source: Source): IndexSource {
  const { options, outcome, progress } = source;
  return {
    object: 'index_source',
    id: source.id,
    kind: source.kind,
    location: source.location,
    options: {
      depth: options.depth,
      include: [...options.include],
      exclude: [...options.exclude],
      hosts: [...options.hosts],
      pages_max: options.pagesMax,
    },
    every: source.every,
    documents: source.documents,
    added_at: toSeconds(source.addedAtMs),
    refreshed_at: toSecondsOrNull(source.refreshedAtMs),
    next_refresh_at: toSecondsOrNull(source.dueAtMs),
    state: source.state,
    error: source.error,
    progress,
    outcome: outcome === null ? null : { ...outcome, failures: [...outcome.failures] },
  };
}

export function toRemoval({
  id,
  location,
  documents,
}: Awaited<ReturnType<IndexAdministration['remove']>>): RemovedSource {
  return { object: 'index_source_removal', id, location, documents_removed: documents };
}
