import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { Ignored } from './ignored.ts';
import type { Tool } from './schema.ts';

/**
 * Changes of the tools in the middle of a conversation. Every tool that was sent is offered from the start, so that only
 * definitions that come later, and removals, change anything.
 */
export class ToolChanges {
  readonly #added = new Map<string, Tool>();
  readonly #removed = new Set<string>();

  /** False for a block that is none. */
  read(block: JsonObject, path: string, ignored: Ignored): boolean {
    const { type, tool = null } = block;
    if (type !== 'tool_addition' && type !== 'tool_removal') return false;
    const definition = toDefinition(tool);
    const name = definition?.name ?? nameOf(tool);
    if (name === null) ignored.add(path);
    else if (type === 'tool_removal') {
      this.#removed.add(name);
      this.#added.delete(name);
    } else {
      this.#removed.delete(name);
      if (definition !== null) this.#added.set(name, definition);
    }
    return true;
  }

  /** The tools after all changes. */
  applyTo(tools: readonly Tool[]): readonly Tool[] {
    const kept = tools.filter(({ name = '' }) => !this.#removed.has(name) && !this.#added.has(name));
    return [...kept, ...this.#added.values()];
  }
}

function nameOf(reference: Json): string | null {
  const name = isJsonObject(reference) ? reference['name'] : null;
  return typeof name === 'string' ? name : null;
}

function toDefinition(tool: Json): (Tool & { readonly name: string }) | null {
  const definition = isJsonObject(tool) && tool['type'] === 'tool_definition' ? tool['definition'] : null;
  if (!isJsonObject(definition)) return null;
  const { name, description, input_schema: schema, type = null } = definition;
  if (typeof name !== 'string' || (type !== null && typeof type !== 'string')) return null;
  return {
    ...definition,
    name,
    type,
    description: typeof description === 'string' ? description : null,
    ...(isJsonObject(schema) && { input_schema: schema }),
  };
}
