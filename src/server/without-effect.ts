import type { Config } from '../config.ts';

/** Keys that are set for parts which this version does not have. Nobody should believe that they work. */
export function withoutEffect({ search, embeddings }: Config): string[] {
  const set = {
    'search.engines': search.engines.length > 0,
    'embeddings.engine': embeddings.engine === 'local',
  };
  return Object.entries(set).flatMap(([name, isSet]) => (isSet ? [name] : []));
}
