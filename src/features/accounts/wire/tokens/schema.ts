import { Type, type Static } from 'typebox';
import { Nullable } from '../../../../kernel/kit/schema.ts';
import { described } from '../../../../kernel/http/described.ts';

const nameMax = 128;

export const GenerateTokenRequest = Type.Object({
  token_name: Nullable(Type.String({ maxLength: nameMax }), {
    errorMessage: `token_name must be a string of at most ${nameMax} characters`,
  }),
});
export type GenerateTokenRequest = Static<typeof GenerateTokenRequest>;

export const GeneratedToken = Type.Object(
  described(
    {
      auth_token: Type.String(),
      created_at_epoch_seconds: Type.Integer(),
      token_name: Type.Optional(Type.String({ minLength: 1 })),
    },
    { auth_token: 'The token. It is not stored and cannot be shown again.' },
  ),
  { additionalProperties: false },
);
export type GeneratedToken = Static<typeof GeneratedToken>;

export const RevokeTokenRequest = Type.Object({
  auth_token: Type.String({ minLength: 1, errorMessage: 'auth_token must be a non-empty string' }),
});

export const RevokedToken = Type.Object({}, { additionalProperties: false });
