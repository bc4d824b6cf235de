import type { PublishedApi } from './api.ts';
import { listAt, textAt } from '../../kernel/kit/json-path.ts';

/** Names of models where the caller gives none: they depend on the family that a server is configured with. */
export interface ServerNames {
  readonly decider: string;
  readonly chat: string;
  readonly research: string;
}

const timeoutMs = 30_000;
const usualFamily = 'svc';

/** Asks the server for its names, or assumes the usual ones where it lists none. */
export async function readNames(api: PublishedApi, signal: AbortSignal): Promise<ServerNames> {
  // The header of a System One client: with it the list holds the deciders too.
  const headers = { 'x-typesafe-sdk': 'nestor' };
  const list = await api.call({ method: 'GET', path: '/v1/models', headers, timeoutMs, signal });
  const ids = listAt(list, 'data').map((entry) => textAt(entry, 'id') ?? '');
  const own = ids.map((id) => id.split('/')).find(([prefix, name]) => prefix !== '' && prefix === name);
  const family = own?.[0] ?? usualFamily;
  return {
    decider: textAt(list, 'models', 0, 'name') ?? `${family}-decider-v1-27b`,
    chat: family,
    research: `${family}-deep-research`,
  };
}
