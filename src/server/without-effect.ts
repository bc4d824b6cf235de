import type { Config } from '../config.ts';

/** Keys that are set for parts which this version does not have. Nobody should believe that they work. */
export function withoutEffect({ redis, adminKey, providers, search, embeddings }: Config): string[] {
  const set = {
    redis: redis !== null,
    admin_key: adminKey !== null,
    providers: providers.some(({ type }) => type !== 'local'),
    'search.engines': search.engines.length > 0,
    'embeddings.engine': embeddings.engine !== 'auto',
  };
  return Object.entries(set).flatMap(([name, isSet]) => (isSet ? [name] : []));
}
