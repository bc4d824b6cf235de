import { setTimeout as delay } from 'node:timers/promises';
import type { PubSub } from '../../kernel/store/pub-sub.ts';
import { leaseMs, type Authenticator } from './authenticator.ts';

interface KeyInvalidationOptions {
  readonly pubSub: Pick<PubSub, 'publish'>;
  /** The authenticator of this process; null where it serves no requests. */
  readonly authenticator: Pick<Authenticator, 'forgetKey' | 'forgetAccount' | 'raiseCredits'> | null;
  /** Whether other processes may serve from this store. */
  readonly isShared: boolean;
}

const revocations = 'key-revoked';
const purchases = 'credits-raised';
const closings = 'account-closed';

export type KeyInvalidation = ReturnType<typeof createKeyInvalidation>;

/**
 * Notifies the other processes on the store. One that misses the message trusts its memory no longer than a lease, so
 * after that the change holds everywhere.
 */
export function createKeyInvalidation({ pubSub, authenticator, isShared }: KeyInvalidationOptions) {
  async function publish(topic: string, text: string): Promise<void> {
    if (!isShared) return;
    await pubSub.publish(topic, text).catch(() => {});
    await delay(leaseMs);
  }
  return {
    /** Resolves when no process takes the key any more. */
    async revocation(this: void, hash: string): Promise<void> {
      authenticator?.forgetKey(hash);
      await publish(revocations, hash);
    },
    /** Resolves when no process takes any key of the account any more. */
    async closing(accountId: string): Promise<void> {
      authenticator?.forgetAccount(accountId);
      await publish(closings, accountId);
    },
    /** Resolves when every process gives the account its tier. */
    async credits(accountId: string, creditsPurchasedUsd: number): Promise<void> {
      authenticator?.raiseCredits(accountId, creditsPurchasedUsd);
      await publish(purchases, JSON.stringify([accountId, creditsPurchasedUsd]));
    },
  };
}

/** Applies in this process what others publish, until `pubSub` closes. */
export function followOthers(
  pubSub: Pick<PubSub, 'subscribe'>,
  authenticator: Pick<Authenticator, 'forgetKey' | 'forgetAccount' | 'raiseCredits'>,
): void {
  pubSub.subscribe(revocations, (hash) => authenticator.forgetKey(hash));
  pubSub.subscribe(closings, (accountId) => authenticator.forgetAccount(accountId));
  pubSub.subscribe(purchases, (text) => {
    const raised = parseCredits(text);
    if (raised !== null) authenticator.raiseCredits(...raised);
  });
}

/** Anything that may connect to the database may notify, so the text is checked. Returns null when it is malformed. */
function parseCredits(text: string): readonly [accountId: string, creditsPurchasedUsd: number] | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value)) return null;
    const [accountId, credits] = value as readonly unknown[];
    return typeof accountId === 'string' && typeof credits === 'number' ? [accountId, credits] : null;
  } catch {
    return null;
  }
}
