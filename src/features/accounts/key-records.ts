import { Fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import { hashSecret, type Ids } from '../../kernel/kit/ids.ts';
import type { Key, NewKey } from './store/keys.ts';

/** A key as it is shown. */
export interface KeyRecord extends Omit<Key, 'hash'> {
  /** First characters of the hash, as in the log and the ledger. Opens nothing. */
  readonly id: string;
}

export function toKeyRecord({ hash, ...key }: Key): KeyRecord {
  return { id: toKeyId(hash), ...key };
}

/** Length of the id of a key, in hex digits of its hash. */
const keyIdLength = 12;

export function toKeyId(hash: string): string {
  return hash.slice(0, keyIdLength);
}

/** The one key among matches: a revoked one only where no active one matches. Throws a Fault for none or several. */
export function oneOf(matches: readonly Key[]): Key {
  const active = matches.filter(({ revokedAtMs }) => revokedAtMs === null);
  const [key, another] = active.length > 0 ? active : matches;
  if (key === undefined) throw new Fault('not_found', 'key not found');
  if (another !== undefined) throw new Fault('conflict', 'several keys are meant; name one by its id');
  return key;
}

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

/** Credits purchased over an account's lifetime from which each tier begins. Unit: USD. */
const tierThresholdsUsd = [0, 50, 250, 500, 1_000, 5_000] as const;

/** Highest tier whose threshold the purchases reach. */
export function tierOf(creditsPurchasedUsd: number): number {
  return tierThresholdsUsd.findLastIndex((threshold) => creditsPurchasedUsd >= threshold);
}
