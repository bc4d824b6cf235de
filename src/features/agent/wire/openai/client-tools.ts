import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const object = (properties: Readonly<Record<string, Json>>, required: readonly string[]) => ({
  type: 'object',
  properties,
  required: [...required],
  additionalProperties: false,
});

/** Tools that models of OpenAI know without a description: what other models are told of them. */
export const clientTools = {
  local_shell: {
    description: 'Runs a command on the computer of the user, and gives back what it printed.',
    parameters: object(
      {
        command: { ...texts, description: 'The program and its arguments.' },
        working_directory: text,
        timeout_ms: { type: 'integer' },
        env: { type: 'object', additionalProperties: text },
      },
      ['command'],
    ),
  },
  shell: {
    description: 'Runs commands in a shell on the computer of the user, and gives back what they printed.',
    parameters: object(
      { commands: texts, timeout_ms: { type: 'integer' }, max_output_length: { type: 'integer' } },
      ['commands'],
    ),
  },
  apply_patch: {
    description:
      'Creates, updates or deletes a file of the user. `diff` has lines that begin with a space, + or - below lines ' +
      'that begin with @@; that of a new file has only lines that begin with +.',
    parameters: object(
      {
        operation: object(
          {
            type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
            path: text,
            diff: text,
          },
          ['type', 'path'],
        ),
      },
      ['operation'],
    ),
  },
  tool_search: {
    description: 'Finds tools that can be called afterwards.',
    parameters: object({ query: text, limit: { type: 'integer' } }, ['query']),
  },
} as const;

export interface ToolPlace {
  readonly tool: JsonObject;
  readonly param: string;
}

/** Entries of a list of tools with their places. */
export function placesOf(list: Json | undefined, param: string): readonly ToolPlace[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly Json[]).flatMap((tool, at) =>
    isJsonObject(tool) ? [{ tool, param: `${param}.${at}` }] : [],
  );
}
