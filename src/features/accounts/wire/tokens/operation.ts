import { Fault } from '../../../../kernel/faults.ts';
import { defineOperation, ok, perMinute, type Operation } from '../../../../kernel/http/operation.ts';
import { accountOf } from '../../../../kernel/http/caller.ts';
import type { Services } from '../../../../kernel/feature.ts';
import { GeneratedToken, GenerateTokenRequest, RevokedToken, RevokeTokenRequest } from './schema.ts';

const common = {
  group: 'tokens',
  method: 'POST',
  credentials: 'bearer',
  surface: 'plain',
  buckets: [perMinute('tokens', 60)],
} as const;
const bytesMax = 33_554_432;

/** Tokens of the caller's account: several at once, so that keys rotate without interruption. Contract 4.3. */
export const tokenOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'generateAuthToken',
    summary: 'Generates a token, shown in this response only',
    paths: ['/generate_auth_token'],
    body: { schema: GenerateTokenRequest, bytesMax, emptyAllowed: true },
    responses: { 200: GeneratedToken },
    async handle({ body, principal }, { tokens }: Services) {
      const name = body.token_name || null;
      const { token, createdAt } = await tokens.generate(accountOf(principal), name);
      const record: GeneratedToken = { auth_token: token, created_at_epoch_seconds: createdAt };
      const named = name === null ? record : { ...record, token_name: name };
      return ok(named, { 'cache-control': 'no-store' });
    },
  }),
  defineOperation({
    ...common,
    id: 'revokeAuthToken',
    summary: 'Revokes a token; the next request with it is refused',
    paths: ['/revoke_auth_token'],
    body: { schema: RevokeTokenRequest, bytesMax },
    responses: { 200: RevokedToken },
    async handle({ body, principal }, { tokens }: Services) {
      const param = 'auth_token';
      const outcome = await tokens.revoke(accountOf(principal), body.auth_token);
      if (outcome === 'configured') {
        throw new Fault('invalid_value', 'configured keys are removed in configuration', { param });
      }
      if (outcome === 'unknown') throw new Fault('not_found', 'token not found', { param });
      return ok({});
    },
  }),
];
