import { Fault } from '../../kernel/faults.ts';
import type { Key } from './store/keys.ts';

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
