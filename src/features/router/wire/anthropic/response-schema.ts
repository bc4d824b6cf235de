import { Type } from 'typebox';
import { AnyObject, Count, Literals, orNull, Strict } from '../../../../kernel/kit/schema.ts';
import { MessagesResponse } from '../messages/schema.ts';

const { usage, content: _, ...rest } = MessagesResponse.properties;

/** Everything that a reply may hold, and its keys in order. */
export const AnthropicMessageResponse = Strict({
  ...rest,
  content: Type.Array(
    Type.Union([
      Strict({ type: Type.Literal('text'), text: Type.String(), citations: orNull(Type.Array(AnyObject)) }),
      Strict({ type: Type.Literal('thinking'), thinking: Type.String(), signature: Type.String() }),
      Strict({ type: Type.Literal('redacted_thinking'), data: Type.String() }),
      Strict({ type: Literals(['tool_use']), id: Type.String(), name: Type.String(), input: AnyObject }),
      Strict({
        type: Type.Literal('server_tool_use'),
        id: Type.String(),
        name: Type.String(),
        input: AnyObject,
        caller: AnyObject,
      }),
      Strict({
        type: Literals(['web_search_tool_result', 'web_fetch_tool_result', 'code_execution_tool_result']),
        tool_use_id: Type.String(),
        content: Type.Union([AnyObject, Type.Array(AnyObject)]),
        caller: AnyObject,
      }),
    ]),
  ),
  usage: Strict({
    ...usage.properties,
    server_tool_use: orNull(Strict({ web_search_requests: Count, web_fetch_requests: Count })),
    output_tokens_details: Type.Optional(Strict({ thinking_tokens: Count })),
  }),
});
