import { Fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import { hashSecret } from '../../kernel/kit/ids.ts';
import { KeyMemory, type Remembered } from './key-memory.ts';
import type { Principal } from '../../kernel/http/operation.ts';
import { createKnownRoots, toPrincipal, type KnownKey } from './known-roots.ts';

export interface AuthenticatorOptions {
  /** Known without the store. */
  readonly rootKeys: readonly KnownKey[];
  /** Looks a key up by its hash. Rejects when the store cannot be asked. */
  readonly findKey: (
    hash: string,
  ) => Promise<Pick<KnownKey, 'hash' | 'accountId' | 'creditsPurchasedUsd'> | undefined>;
  readonly clock: Clock;
}

/** An answer of the store is believed for this long, and renewed in the background from half of it on. */
export const leaseMs = 1_000;
/** While the store is down, a key that was good keeps working for this long. */
export const staleMaxMs = 600_000;
const keyLengthMax = 256;
const usedMax = 10_000;

export type Authenticator = ReturnType<typeof createAuthenticator>;

/**
 * Recognises keys by their SHA-256. Generated keys are asked of the store once a second at most, off the path of
 * requests as long as they keep coming.
 */
export function createAuthenticator({ rootKeys, findKey, clock }: AuthenticatorOptions) {
  const roots = createKnownRoots(rootKeys);
  const memory = new KeyMemory<Principal | null>(async (hash) => {
    const key = await findKey(hash);
    return key === undefined ? null : toPrincipal({ ...key, denied: [], isStored: true });
  }, clock);
  let used = new Set<string>();

  const isOf = (accountId: string) => (principal: Principal | null) => principal?.accountId === accountId;

  function note(hash: string): void {
    if (used.size < usedMax) used.add(hash);
  }

  async function renew(hash: string, last?: Remembered<Principal | null>): Promise<Principal | null> {
    try {
      const principal = await memory.ask(hash);
      if (principal !== null) note(hash);
      return principal;
    } catch (error) {
      const age = last === undefined ? Infinity : clock.monotonic() - last.askedAt;
      if (last?.value && age < staleMaxMs) return last.value;
      throw new Fault('service_unavailable', 'Keys cannot be checked right now.', { cause: error });
    }
  }

  return {
    /** Null for a key that is not known. Throws Fault `service_unavailable` when only the store could answer. */
    authenticate(this: void, key: string): Principal | null | Promise<Principal | null> {
      if (key.length > keyLengthMax) return null;
      const hash = hashSecret(key);
      const root = roots.find(hash);
      if (root !== null) {
        if (root.key.isStored) note(hash);
        return root.principal;
      }
      const last = memory.last(hash);
      const age = last === undefined ? Infinity : clock.monotonic() - last.askedAt;
      if (last === undefined || age >= leaseMs) return renew(hash, last);
      if (age >= leaseMs / 2) memory.ask(hash).catch(() => {});
      if (last.value !== null) note(hash);
      return last.value;
    },
    /** Account of a root key; null for any other. */
    rootAccountOf: (key: string) => roots.find(hashSecret(key))?.key.accountId ?? null,
    rootKeys: () => roots.all(),
    /** Makes the next request with this key ask the store. A configured key is not forgotten. */
    forgetKey(this: void, hash: string): void {
      roots.forgetStored(hash);
      memory.forget(hash);
    },
    /** The account has purchased: the next request with any of its keys sees it. Credits never fall. */
    raiseCredits(this: void, accountId: string, creditsPurchasedUsd: number): void {
      roots.raise(accountId, creditsPurchasedUsd);
      memory.forgetWhere(isOf(accountId));
    },
    /** The account is gone: the next request with any of its keys asks the store, which has no configured one. */
    forgetAccount(this: void, accountId: string): void {
      roots.forgetAccount(accountId);
      memory.forgetWhere(isOf(accountId));
    },
    /** Hashes of the stored keys that were accepted since the last call; at most 10,000. */
    takeUsed(): readonly string[] {
      const taken = [...used];
      used = new Set();
      return taken;
    },
  };
}
