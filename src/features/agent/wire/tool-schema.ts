import { Type, type Static } from 'typebox';
import { AnyObject, Literals, named, Nullable, Strict } from '../../../kernel/kit/schema.ts';
import type { ToolSet } from '../../tools/feature.ts';

export function intFrom(name: string, minimum: number) {
  const errorMessage = `${name} must be an integer of at least ${minimum}`;
  return Nullable(Type.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER }), { errorMessage });
}

const FunctionTool = Strict(
  {
    type: Type.Literal('function'),
    name: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      errorMessage: 'name must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -',
      errorCode: 'invalid_tool',
    }),
    description: Nullable(Type.String()),
    parameters: Nullable(AnyObject),
    strict: Nullable(Type.Boolean()),
  },
  { parameters: 'JSON Schema of the arguments.' },
);

/** The tools that requests may ask for: those of the server, and functions of the caller. */
export function toolsSchema(tools: ToolSet) {
  const any = Type.Union([...tools.requests.values(), FunctionTool], {
    errorMessage: 'unknown discriminator value: "{value}"',
    tagCode: 'invalid_tool',
  });
  return named(
    'Tool',
    Type.Unsafe<Tool>(any),
    'Each built-in tool may stand in a request once. The function is yours: a call of it ends the run with `requires_action`.',
  );
}
type FunctionTool = Static<typeof FunctionTool>;
/** A tool of the server with its own fields, which its declaration reads. */
export type BuiltinTool = { readonly type: string } & Readonly<Record<string, unknown>>;
export type Tool = FunctionTool | BuiltinTool;

export function isFunction(tool: Tool): tool is FunctionTool {
  return tool.type === 'function';
}

const utf8Bytes = (max: number) => (text: unknown) =>
  typeof text === 'string' && Buffer.byteLength(text) <= max;
const Bounded = (name: string, bytesMax: number) =>
  Type.Refine(Type.String(), utf8Bytes(bytesMax), () => `${name} must be at most ${bytesMax} bytes`);

export const Skill = Type.Union(
  [
    Strict(
      {
        type: Type.Literal('custom'),
        id: Type.String({ minLength: 1, errorMessage: 'id must name a skill' }),
        version: Nullable(Type.String({ minLength: 1 })),
      },
      { id: 'A skill of the account.', version: 'A revision, or `latest`, which is the default.' },
    ),
    Strict({
      type: Type.Literal('inline'),
      name: Type.String({
        pattern: '^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$',
        errorMessage: 'name must be up to 64 characters of a-z, 0-9 and single dashes',
      }),
      description: Bounded('description', 1_024),
      instructions: Bounded('instructions', 65_536),
    }),
    Strict({ type: Type.Literal('builtin'), name: Type.String() }),
  ],
  {
    errorMessage: 'unknown discriminator value: "{value}"',
    tagCode: 'invalid_value',
    title: 'SkillReference',
    description: 'The model sees name and description, and loads the rest when it needs it.',
  },
);
export type Skill = Static<typeof Skill>;

const Allowed = Type.Object({
  type: Type.Literal('allowed_tools'),
  mode: Literals(['auto', 'required'], { errorMessage: 'mode must be auto or required' }),
  tools: Type.Array(Type.Object({ type: Type.String(), name: Type.Optional(Type.String()) }), {
    minItems: 1,
  }),
});
const Forced = Type.Object({ type: Type.Literal('function'), name: Type.String() });

export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | Static<typeof Forced>
  | Static<typeof Allowed>
  | { readonly type: string }
  | { readonly name: string };

export function isAllowedTools(choice: object): choice is Static<typeof Allowed> {
  return 'type' in choice && choice.type === 'allowed_tools';
}

export function toolChoiceSchema(tools: ToolSet) {
  const errorMessage = 'tool_choice.type is not the type of a tool';
  const ToolType = Literals([...tools.requests.keys()], { errorMessage });
  const choice = Type.Union(
    [
      Type.Literal('none'),
      Type.Literal('auto'),
      Type.Literal('required'),
      Forced,
      Allowed,
      Type.Object({ type: ToolType }),
      Strict({ name: Type.String({ minLength: 1 }) }),
    ],
    {
      title: 'ToolChoice',
      errorMessage:
        'tool_choice must be none, auto, required, or an object that names a function, a tool or allowed_tools',
    },
  );
  return Type.Unsafe<ToolChoice>(choice);
}
