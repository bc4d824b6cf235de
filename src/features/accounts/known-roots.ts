import { timingSafeEqual } from 'node:crypto';
import { toKeyId } from './key-records.ts';
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
  /** No longer known by heart; the store is asked. A configured key stays. */
  forgetStored(hash: string): void;
  /** Credits of an account grew; fewer than known are passed over. */
  raise(accountId: string, creditsPurchasedUsd: number): void;
}

/** Found by the first bytes of the hash and compared whole in constant time, so that timing tells nothing about a key. */
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
