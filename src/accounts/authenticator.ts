import { timingSafeEqual } from 'node:crypto';
import { hashSecret } from '../kit/ids.ts';
import { tierOf } from './tiers.ts';

/** Who a key speaks for. */
export interface Principal {
  readonly accountId: string;
  /** First characters of the key's hash: tells keys apart in logs and opens nothing. */
  readonly keyId: string;
  readonly tier: number;
  readonly denied: readonly string[];
}

/** A key as the server knows it: by hash only. */
export interface KnownKey {
  readonly hash: string;
  readonly accountId: string;
  readonly creditsPurchasedUsd: number;
  readonly denied: readonly string[];
}

export interface Authenticator {
  /** Null for a key that is not known. */
  readonly authenticate: (key: string) => Principal | null;
}

const keyLengthMax = 256;

/**
 * Recognises keys by their SHA-256. The table is found by the first bytes of the hash and the whole hash is
 * compared in constant time, so that timing tells nothing about a key.
 */
export function createAuthenticator(keys: readonly KnownKey[]): Authenticator {
  const table = new Map<string, { hash: Buffer; principal: Principal }>();
  for (const { hash, accountId, creditsPurchasedUsd, denied } of keys) {
    const keyId = hash.slice(0, 12);
    const principal = Object.freeze({ accountId, keyId, tier: tierOf(creditsPurchasedUsd), denied });
    table.set(keyId, { hash: Buffer.from(hash, 'hex'), principal });
  }
  return {
    authenticate(key) {
      if (key.length > keyLengthMax) return null;
      const hash = hashSecret(key);
      const known = table.get(hash.slice(0, 12));
      if (known === undefined) return null;
      return timingSafeEqual(known.hash, Buffer.from(hash, 'hex')) ? known.principal : null;
    },
  };
}
