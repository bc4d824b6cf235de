import type { Clock } from '../../kernel/kit/clock.ts';
import { hashSecret, type Ids } from '../../kernel/kit/ids.ts';
import type { Key, NewKey } from './store/keys.ts';

export interface KeyMaker {
  /** Begins every key. */
  readonly family: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** 256 bits: the hash at rest needs no salt and no stretching. */
const secretBytes = 32;

/** A new key and its row for the store. The secret is in this object and nowhere else. */
export function createKey(
  { family, clock, ids }: KeyMaker,
  owner: Pick<Key, 'accountId' | 'kind' | 'name'>,
): { readonly secret: string; readonly key: NewKey } {
  const secret = `${family}-${ids.secret(secretBytes)}`;
  const key = { hash: hashSecret(secret), last4: secret.slice(-4), createdAtMs: clock.now() };
  return { secret, key: { ...owner, ...key } };
}
