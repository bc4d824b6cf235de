import { Type } from 'typebox';

/** One message of JSON-RPC. Answers of a client are taken and dropped, so neither `method` nor `id` is a must. */
export const McpMessage = Type.Object({
  jsonrpc: Type.Literal('2.0', { errorMessage: 'jsonrpc must be "2.0"' }),
  id: Type.Optional(
    Type.Union([Type.String(), Type.Number()], { errorMessage: 'id must be a string or a number' }),
  ),
  method: Type.Optional(
    Type.String({
      description: 'For example `tools/list` or `tools/call`. Absent in an answer of a client.',
    }),
  ),
  params: Type.Optional(Type.Unsafe<object>({ type: 'object' })),
});

export const McpReply = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Union([Type.String(), Type.Number(), Type.Null()]),
  result: Type.Optional(Type.Unsafe<object>({ type: 'object' })),
  error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
});
