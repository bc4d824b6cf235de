import { timingSafeEqual } from 'node:crypto';
import { Fault } from '../faults.ts';
import type { Clock } from '../kit/clock.ts';
import { hashSecret } from '../kit/ids.ts';
import { KeyMemory, type Remembered } from './key-memory.ts';
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

export interface AuthenticatorOptions {
  /** Keys of the configuration: known without the store. */
  readonly rootKeys: readonly KnownKey[];
  /** Looks a generated key up by its hash. Rejects when the store cannot be asked. */
  readonly findKey: (hash: string) => Promise<Omit<KnownKey, 'denied'> | undefined>;
  readonly clock: Clock;
}

export interface Authenticator {
  /** Null for a key that is not known. Throws Fault `service_unavailable` when only the store could tell. */
  readonly authenticate: (key: string) => Principal | null | Promise<Principal | null>;
  /** Account of a root key; null for any other. */
  readonly rootAccountOf: (key: string) => string | null;
  /** Makes the next request with this key ask the store. */
  readonly forgetKey: (hash: string) => void;
  /** The account's tier changed: the next request with any of its keys sees it. */
  readonly setCredits: (accountId: string, creditsPurchasedUsd: number) => void;
}

/** An answer of the store is believed for this long, and renewed in the background from half of it on. */
export const leaseMs = 1_000;
/** While the store is down, a key that was good keeps working for this long. */
export const staleMaxMs = 600_000;
const keyLengthMax = 256;

/**
 * Recognises keys by their SHA-256. Root keys are found by the first bytes of the hash and compared whole in constant
 * time, so that timing tells nothing about a key. Generated keys are asked of the store once a second at most, off
 * the path of requests as long as they keep coming.
 */
export function createAuthenticator({ rootKeys, findKey, clock }: AuthenticatorOptions): Authenticator {
  const roots = new Map(rootKeys.map((key) => [toKeyId(key.hash), { key, principal: toPrincipal(key) }]));
  const memory = new KeyMemory<Principal | null>(async (hash) => {
    const key = await findKey(hash);
    return key === undefined ? null : toPrincipal({ ...key, denied: [] });
  }, clock);

  function findRoot(hash: string): Principal | null {
    const root = roots.get(toKeyId(hash));
    if (root === undefined) return null;
    return timingSafeEqual(Buffer.from(root.key.hash, 'hex'), Buffer.from(hash, 'hex'))
      ? root.principal
      : null;
  }

  async function renew(
    hash: string,
    last: Remembered<Principal | null> | undefined,
  ): Promise<Principal | null> {
    try {
      return await memory.ask(hash);
    } catch (error) {
      const age = last === undefined ? Infinity : clock.monotonic() - last.askedAt;
      if (last?.value && age < staleMaxMs) return last.value;
      throw new Fault('service_unavailable', 'Keys cannot be checked right now.', { cause: error });
    }
  }

  return {
    authenticate(key) {
      if (key.length > keyLengthMax) return null;
      const hash = hashSecret(key);
      const root = findRoot(hash);
      if (root !== null) return root;
      const last = memory.last(hash);
      const age = last === undefined ? Infinity : clock.monotonic() - last.askedAt;
      if (last === undefined || age >= leaseMs) return renew(hash, last);
      if (age >= leaseMs / 2) memory.ask(hash).catch(() => {});
      return last.value;
    },
    rootAccountOf: (key) => findRoot(hashSecret(key))?.accountId ?? null,
    forgetKey: (hash) => memory.forget(hash),
    setCredits(accountId, creditsPurchasedUsd) {
      for (const [keyId, { key }] of roots) {
        if (key.accountId !== accountId) continue;
        const raised = { ...key, creditsPurchasedUsd };
        roots.set(keyId, { key: raised, principal: toPrincipal(raised) });
      }
      memory.forgetAll();
    },
  };
}

function toPrincipal({ hash, accountId, creditsPurchasedUsd, denied }: KnownKey): Principal {
  return Object.freeze({ accountId, keyId: toKeyId(hash), tier: tierOf(creditsPurchasedUsd), denied });
}

function toKeyId(hash: string): string {
  return hash.slice(0, 12);
}
