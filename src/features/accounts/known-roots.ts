import { timingSafeEqual } from 'node:crypto';
import { toKeyId } from './key-records.ts';
import { tierOf } from './tiers.ts';

/** The account that a key belongs to, with its tier. */
export interface Principal {
  readonly accountId: string;
  /** First characters of the key's hash: identifies the key in logs and opens nothing. */
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
  /** Whether the store has it too; a configured key is in the configuration only. */
  readonly isStored: boolean;
}

interface KnownRoot {
  readonly key: KnownKey;
  readonly principal: Principal;
}

/** Root keys, known without the store. */
interface KnownRoots {
  find(hash: string): KnownRoot | null;
  all(): readonly KnownKey[];
  /** Removes a stored key, so that the store is asked about it. A configured key stays. */
  forgetStored(hash: string): void;
  /** Raises the credits of an account; a smaller amount than the known one is ignored. */
  raise(accountId: string, creditsPurchasedUsd: number): void;
}

/** Finds a key by the first bytes of its hash and compares all of it in constant time, so that timing reveals nothing. */
export function createKnownRoots(keys: readonly KnownKey[]): KnownRoots {
  const roots = new Map(keys.map((key) => [toKeyId(key.hash), toRoot(key)]));

  function find(hash: string): KnownRoot | null {
    const root = roots.get(toKeyId(hash));
    if (root === undefined) return null;
    return timingSafeEqual(Buffer.from(root.key.hash, 'hex'), Buffer.from(hash, 'hex')) ? root : null;
  }

  return {
    find,
    all: () => [...roots.values()].map(({ key }) => key),
    forgetStored(hash) {
      if (find(hash)?.key.isStored === true) roots.delete(toKeyId(hash));
    },
    raise(accountId, creditsPurchasedUsd) {
      for (const [keyId, { key }] of roots) {
        if (key.accountId !== accountId || key.creditsPurchasedUsd >= creditsPurchasedUsd) continue;
        roots.set(keyId, toRoot({ ...key, creditsPurchasedUsd }));
      }
    },
  };
}

export function toPrincipal({ hash, accountId, creditsPurchasedUsd, denied }: KnownKey): Principal {
  return Object.freeze({ accountId, keyId: toKeyId(hash), tier: tierOf(creditsPurchasedUsd), denied });
}

function toRoot(key: KnownKey): KnownRoot {
  return { key, principal: toPrincipal(key) };
}
