import { setTimeout as delay } from 'node:timers/promises';
import type { PubSub } from '../../kernel/store/pub-sub.ts';
import { leaseMs, type Authenticator } from './authenticator.ts';

/** Makes what was written hold in every process. */
export interface KeyInvalidation {
  readonly revocation: (hash: string) => Promise<void>;
  readonly credits: (accountId: string, creditsPurchasedUsd: number) => Promise<void>;
}

interface SpreadOptions {
  readonly pubSub: Pick<PubSub, 'publish'>;
  /** Of this process; null where nobody calls. */
  readonly authenticator: Pick<Authenticator, 'forgetKey' | 'raiseCredits'> | null;
  /** Whether other processes may serve from this store. */
  readonly isShared: boolean;
}

const revocations = 'key-revoked';
const purchases = 'credits-raised';

/**
 * Other processes on the store hear of it at once. One that misses the notice believes its memory no longer than a
 * lease, so after that it holds everywhere, whatever became of the notice.
 */
export function createKeyInvalidation({ pubSub, authenticator, isShared }: SpreadOptions): KeyInvalidation {
  async function tell(topic: string, text: string): Promise<void> {
    if (!isShared) return;
    await pubSub.publish(topic, text).catch(() => {});
    await delay(leaseMs);
  }
  return {
    async revocation(hash) {
      authenticator?.forgetKey(hash);
      await tell(revocations, hash);
    },
    async credits(accountId, creditsPurchasedUsd) {
      authenticator?.raiseCredits(accountId, creditsPurchasedUsd);
      await tell(purchases, JSON.stringify([accountId, creditsPurchasedUsd]));
    },
  };
}

/** Does in this process what others tell, until the pubSub close. */
export function followOthers(
  pubSub: Pick<PubSub, 'subscribe'>,
  authenticator: Pick<Authenticator, 'forgetKey' | 'raiseCredits'>,
): void {
  pubSub.subscribe(revocations, (hash) => authenticator.forgetKey(hash));
  pubSub.subscribe(purchases, (text) => {
    const raised = parseCredits(text);
    if (raised !== null) authenticator.raiseCredits(...raised);
  });
}

/** Whoever may connect to the database may notify. */
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
