import { Type } from 'typebox';
import { Fault } from '../../../../kernel/faults.ts';
import type { Operation } from '../../../../kernel/http/operation.ts';
import { accountOf, defineOperation, ok, perMinute } from '../../../../kernel/http/operation.ts';
import type { Services } from '../../../../kernel/feature.ts';
import { Nullable, Strict } from '../../../../kernel/kit/schema.ts';

const common = {
  group: 'tokens',
  method: 'POST',
  credentials: 'bearer',
  surface: 'plain',
  buckets: [perMinute('tokens', 60)],
} as const;
const bytesMax = 33_554_432;

const nameMax = 128;

const GenerateTokenRequest = Type.Object({
  token_name: Nullable(Type.String({ maxLength: nameMax }), {
    errorMessage: `token_name must be a string of at most ${nameMax} characters`,
  }),
});

const GeneratedToken = Strict(
  {
    auth_token: Type.String(),
    created_at_epoch_seconds: Type.Integer(),
    token_name: Type.Optional(Type.String({ minLength: 1 })),
  },
  { auth_token: 'The token. It is not stored and cannot be shown again.' },
);

const RevokeTokenRequest = Type.Object({
  auth_token: Type.String({ minLength: 1, errorMessage: 'auth_token must be a non-empty string' }),
});

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
      const record = { auth_token: token, created_at_epoch_seconds: createdAt };
      return ok(name === null ? record : { ...record, token_name: name }, { 'cache-control': 'no-store' });
    },
  }),
  defineOperation({
    ...common,
    id: 'revokeAuthToken',
    summary: 'Revokes a token; the next request with it is refused',
    paths: ['/revoke_auth_token'],
    body: { schema: RevokeTokenRequest, bytesMax },
    responses: { 200: Strict({}) },
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
