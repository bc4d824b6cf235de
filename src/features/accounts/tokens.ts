import { hashSecret } from '../../kernel/kit/ids.ts';
import type { Keys } from './store/keys.ts';
import type { Authenticator } from './authenticator.ts';
import { createKey, oneOf, toKeyId, toKeyRecord, type KeyMaker, type KeyRecord } from './key-records.ts';

interface TokensOptions extends KeyMaker {
  readonly keys: Pick<Keys, 'insertIfAbsent' | 'find' | 'match' | 'revoke'>;
  readonly authenticator: Pick<Authenticator, 'forgetKey' | 'rootAccountOf' | 'rootKeys'>;
  /** Makes every process forget a key, and resolves when they have. */
  readonly invalidateKey: (hash: string) => Promise<void>;
}

export type Tokens = ReturnType<typeof createTokens>;

export function createTokens(options: TokensOptions) {
  const { keys, authenticator, invalidateKey, ...maker } = options;
  return {
    /** Resolves when the token is on disk; it works from then on. `createdAt` is in seconds since the Unix epoch. */
    async generate(accountId: string, name: string | null) {
      const { secret, key } = createKey(maker, { accountId, kind: 'token', name });
      await keys.insertIfAbsent(key);
      // Somebody may have guessed it before, and the refusal is remembered.
      authenticator.forgetKey(key.hash);
      return { token: secret, createdAt: Math.floor(key.createdAtMs / 1_000) };
    },

    /**
     * Resolves when no process takes the token any more. `configured`: a root key, which only its configuration can
     * end. `unknown`: no token of this account.
     */
    async revoke(accountId: string, token: string): Promise<'revoked' | 'configured' | 'unknown'> {
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

    /**
     * The same by the id of a token. `root`: the key of the first start, which only the administration
     * ends. Fault `not_found` where the account has no such key.
     */
    async revokeById(accountId: string, keyId: string): Promise<KeyRecord | 'configured' | 'root'> {
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
