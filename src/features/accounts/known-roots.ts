import { timingSafeEqual } from 'node:crypto';
import type { Principal } from '../../kernel/http/operation.ts';
import { tierOf, toKeyId } from './key-records.ts';

/** A key as the server knows it: by hash only. */
export interface KnownKey {
  readonly hash: string;
  readonly accountId: string;
  readonly creditsPurchasedUsd: number;
  readonly denied: readonly string[];
  /** Whether the store has it too; a configured key is in the configuration only. */
  readonly isStored: boolean;
}

/** Finds a key by the first bytes of its hash and compares all of it in constant time, so that timing reveals nothing. */
export function createKnownRoots(keys: readonly KnownKey[]) {
  const toRoot = (key: KnownKey) => ({
    key,
    principal: toPrincipal(key),
    hash: Buffer.from(key.hash, 'hex'),
  });
  const roots = new Map(keys.map((key) => [toKeyId(key.hash), toRoot(key)]));

  function find(hash: string) {
    const root = roots.get(toKeyId(hash));
    if (root === undefined) return null;
    return timingSafeEqual(root.hash, Buffer.from(hash, 'hex')) ? root : null;
  }

  return {
    find,
    all: (): readonly KnownKey[] => [...roots.values()].map(({ key }) => key),
    /** Removes a stored key, so that the store is asked about it. A configured key stays. */
    forgetStored(hash: string): void {
      if (find(hash)?.key.isStored === true) roots.delete(toKeyId(hash));
    },
    /** Removes the keys of an account that is gone, the configured ones too: the next start makes it anew for them. */
    forgetAccount(accountId: string): void {
      for (const [keyId, { key }] of roots) if (key.accountId === accountId) roots.delete(keyId);
    },
    /** Raises the credits of an account; a smaller amount than the known one is ignored. */
    raise(accountId: string, creditsPurchasedUsd: number): void {
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
