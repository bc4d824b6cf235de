import { Type, type Static } from 'typebox';
import { invalidValue } from '../../../kernel/faults.ts';
import { AnyObject, Nullable, Open, withErrors } from '../../../kernel/kit/schema.ts';
import { quote } from '../../../kernel/kit/text.ts';
import type { FunctionTool, OutputFormat, ToolChoice } from '../model.ts';

/** What the surfaces of the chat-completions protocol share. */

export const TextPart = Type.Object({ type: Type.Literal('text'), text: Type.String() });

/** A text, or a list of parts. `errorMessage` is about a part. */
export function CompletionContent<Part extends Parameters<typeof Type.Array>[0]>(
  part: Part,
  errorMessage: string,
) {
  return Type.Union([Type.String(), Type.Array(withErrors(part, { errorMessage }))], {
    errorMessage: 'content must be a string or an array of parts',
  });
}

export const CompletionCall = Type.Object({
  id: Type.String({ minLength: 1 }),
  type: Type.Optional(Type.Literal('function')),
  function: Type.Object({ name: Type.String({ minLength: 1 }), arguments: Type.String() }),
});

export const CompletionTool = Type.Object({
  type: Type.Literal('function', { errorMessage: 'Only tools of type function are supported' }),
  function: Open(
    {
      name: Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,128}$' }),
      description: Nullable(Type.String()),
      parameters: Nullable(AnyObject),
      strict: Nullable(Type.Boolean()),
    },
    { parameters: 'JSON Schema of the arguments.' },
  ),
});

export const toolChoiceMessage = 'tool_choice must be none, auto, required or a function';
export const CompletionToolChoice = Type.Union(
  [
    Type.Literal('none'),
    Type.Literal('auto'),
    Type.Literal('required'),
    Type.Object({
      type: Type.Literal('function'),
      function: Type.Object({ name: Type.String({ minLength: 1 }) }),
    }),
  ],
  { errorMessage: toolChoiceMessage },
);

/** `keywords` are those of the schema and of what is around it. */
export function JsonSchemaFormat(keywords: Parameters<typeof withErrors>[1] = {}) {
  return Type.Object({
    type: Type.Literal('json_schema'),
    json_schema: Type.Object(
      {
        name: Type.Optional(Type.String({ minLength: 1 })),
        schema: withErrors(AnyObject, keywords),
        description: Nullable(Type.String()),
        strict: Nullable(Type.Boolean()),
      },
      keywords,
    ),
  });
}

/** The same function on every surface, with defaults for what was left out. */
export function toFunctionTool({
  name,
  description = null,
  parameters,
  strict,
}: Static<typeof CompletionTool>['function']): FunctionTool {
  return {
    name,
    description,
    parameters: parameters ?? { type: 'object', properties: {} },
    strict: strict ?? false,
  };
}

export function toSchemaFormat({
  name = 'schema',
  schema,
  description = null,
  strict,
}: Static<ReturnType<typeof JsonSchemaFormat>>['json_schema']): OutputFormat {
  return { type: 'json-schema', name, schema, description, strict: strict ?? true };
}

/** Throws Fault `invalid_value` for a choice of what is not there. */
export function toToolChoice(
  choice: Static<typeof CompletionToolChoice>,
  tools: readonly { readonly name: string }[],
): ToolChoice {
  if (typeof choice === 'string') {
    if (choice !== 'required' || tools.length > 0) return choice;
    throw invalidValue('tool_choice required needs tools', 'tool_choice');
  }
  const { name } = choice.function;
  if (tools.some((tool) => tool.name === name)) return { name };
  throw invalidValue(`No tool is named '${quote(name)}'`, 'tool_choice.function.name');
}

/** The limit of the answer under both of its names. Throws Fault `invalid_value` when they differ. */
export function tokensMaxOf(body: {
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
}): number | null {
  const { max_tokens: old = null, max_completion_tokens: current = null } = body;
  if (old !== null && current !== null && old !== current)
    throw invalidValue('max_tokens and max_completion_tokens differ, send one of them', 'max_tokens');
  return current ?? old;
}
