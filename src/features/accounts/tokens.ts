import { hashSecret } from '../../kernel/kit/ids.ts';
import type { Keys } from './store/keys.ts';
import type { Authenticator } from './authenticator.ts';
import { oneOf, toKeyId, toKeyRecord, type KeyRecord } from './key-records.ts';
import { createKey, type KeyMaker } from './new-key.ts';

interface GeneratedToken {
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
  /**
   * The same by the id of a token. `root`: the key of the first start, which only the administration
   * ends. Fault `not_found` where the account has no such key.
   */
  revokeById(accountId: string, keyId: string): Promise<KeyRecord | 'configured' | 'root'>;
}

interface TokensOptions extends KeyMaker {
  readonly keys: Pick<Keys, 'insertIfAbsent' | 'find' | 'match' | 'revoke'>;
  readonly authenticator: Pick<Authenticator, 'forgetKey' | 'rootAccountOf' | 'rootKeys'>;
  /** Makes every process forget a key, and resolves when they have. */
  readonly invalidateKey: (hash: string) => Promise<void>;
}

export function createTokens(options: TokensOptions): Tokens {
  const { keys, authenticator, invalidateKey, ...maker } = options;
  return {
    async generate(accountId, name) {
      const { secret, key } = createKey(maker, { accountId, kind: 'token', name });
      await keys.insertIfAbsent(key);
      // Somebody may have guessed it before, and the refusal is remembered.
      authenticator.forgetKey(key.hash);
      return { token: secret, createdAt: Math.floor(key.createdAtMs / 1_000) };
    },

    async revoke(accountId, token) {
      const rootAccount = authenticator.rootAccountOf(token);
      if (rootAccount !== null) return rootAccount === accountId ? 'configured' : 'unknown';
      const hash = hashSecret(token);
      const key = await keys.find(hash);
      if (key === undefined || key.accountId !== accountId) return 'unknown';
      if (key.kind === 'root') return 'configured';
      await keys.revoke(hash, maker.clock.now());
      await invalidateKey(hash);
      return 'revoked';
    },

    async revokeById(accountId, keyId) {
      const isConfigured = authenticator
        .rootKeys()
        .some((key) => !key.isStored && key.accountId === accountId && toKeyId(key.hash) === keyId);
      if (isConfigured) return 'configured';
      const matches = await keys.match(accountId, keyId);
      const key = oneOf(matches.filter(({ hash }) => toKeyId(hash) === keyId));
      if (key.kind === 'root') return 'root';
      await keys.revoke(key.hash, maker.clock.now());
      // Also when it was revoked before: that process may have died before it published it.
      await invalidateKey(key.hash);
      return toKeyRecord((await keys.find(key.hash)) ?? key);
    },
  };
}
