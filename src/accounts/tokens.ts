import type { Clock } from '../kit/clock.ts';
import { hashSecret, type Ids } from '../kit/ids.ts';
import type { Keys } from '../storage/keys.ts';
import type { Authenticator } from './authenticator.ts';

export interface GeneratedToken {
  /** In this object and nowhere else. */
  readonly token: string;
  /** Unit: s since the Unix epoch. */
  readonly createdAt: number;
}

export interface Tokens {
  /** Resolves when the token is on disk; it works from then on. */
  generate(accountId: string, name: string | null): Promise<GeneratedToken>;
  /**
   * Resolves when no process takes the token any more. `configured`: a root key, which only its configuration can
   * end. `unknown`: no token of this account.
   */
  revoke(accountId: string, token: string): Promise<'revoked' | 'configured' | 'unknown'>;
}

export interface TokensOptions {
  readonly keys: Pick<Keys, 'insertIfAbsent' | 'find' | 'revoke'>;
  readonly authenticator: Pick<Authenticator, 'forgetKey' | 'rootAccountOf'>;
  /** Tells other processes to forget a key, and waits until they have. */
  readonly spreadRevocation: (hash: string) => Promise<void>;
  readonly family: string;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** 256 bits: the hash at rest needs no salt and no stretching. */
const secretBytes = 32;

export function createTokens(options: TokensOptions): Tokens {
  const { keys, authenticator, spreadRevocation, family, clock, ids } = options;
  return {
    async generate(accountId, name) {
      const token = `${family}-${ids.secret(secretBytes)}`;
      const createdAtMs = clock.now();
      const hash = hashSecret(token);
      await keys.insertIfAbsent({
        hash,
        accountId,
        kind: 'token',
        name,
        last4: token.slice(-4),
        createdAtMs,
      });
      // Somebody may have guessed at it and been told no.
      authenticator.forgetKey(hash);
      return { token, createdAt: Math.floor(createdAtMs / 1_000) };
    },

    async revoke(accountId, token) {
      const rootAccount = authenticator.rootAccountOf(token);
      if (rootAccount !== null) return rootAccount === accountId ? 'configured' : 'unknown';
      const hash = hashSecret(token);
      const key = await keys.find(hash);
      if (key === undefined || key.accountId !== accountId) return 'unknown';
      if (key.kind === 'root') return 'configured';
      await keys.revoke(hash, clock.now());
      authenticator.forgetKey(hash);
      await spreadRevocation(hash);
      return 'revoked';
    },
  };
}
