import { Type } from 'typebox';
import { AnyObject, Count, Literals, Strict } from '../../../../kernel/kit/schema.ts';
import { MessagesResponse } from '../messages/schema.ts';

const { usage, content: _, ...rest } = MessagesResponse.properties;

/** Everything that a reply may hold, and its keys in order. */
export const AnthropicMessageResponse = Strict({
  ...rest,
  content: Type.Array(
    Type.Union([
      Strict({ type: Type.Literal('text'), text: Type.String(), citations: Type.Null() }),
      Strict({ type: Type.Literal('thinking'), thinking: Type.String(), signature: Type.String() }),
      Strict({ type: Type.Literal('redacted_thinking'), data: Type.String() }),
      Strict({ type: Literals(['tool_use']), id: Type.String(), name: Type.String(), input: AnyObject }),
    ]),
  ),
  usage: Strict({
    ...usage.properties,
    output_tokens_details: Type.Optional(Strict({ thinking_tokens: Count })),
  }),
});
