import { objectsOf, textOf } from '../../../../kernel/kit/json-fields.ts';
import { Fault, invalidValue } from '../../../../kernel/faults.ts';
import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { isJsonObject } from '../../../../kernel/kit/json.ts';
import { quote } from '../../../../kernel/kit/text.ts';
import type { ToolChoice as RunChoice } from '../../../models/feature.ts';
import type { ToolChoice } from '../tool-schema.ts';
import { flatName } from './calls.ts';
import { servedBy, type ReadTools } from './tools.ts';

/**
 * Reads `tool_choice`. Throws Fault `invalid_tool` for a tool that was left out, and `invalid_value` for what is no
 * choice. A tool that no request named stays for the run to refuse.
 */
export function readChoice(choice: string | JsonObject, read: ReadTools): ToolChoice {
  if (typeof choice === 'string') {
    if (choice === 'none' || choice === 'auto') return choice;
    // Those tools come to the run later, which then has to call one.
    if (choice === 'required' && (read.servers.length > 0 || read.files !== null)) return 'auto';
    if (choice !== 'required') throw invalidValue(`Invalid value: '${quote(choice)}'.`, 'tool_choice');
    const [type] = read.leftOut;
    if (read.tools.length === 0 && type !== undefined) refuseLeftOut(type);
    return choice;
  }
  if (choice['type'] === 'mcp') {
    checkServer(choice, read);
    return 'auto';
  }
  if (choice['type'] === 'file_search' && read.files !== null) return 'auto';
  if (choice['type'] !== 'allowed_tools') return { name: forced(choice, read) };
  // A restriction that did not hold for them would have tools called that are not allowed.
  if (read.servers.length > 0 || read.files !== null)
    throw invalidValue(
      "tool_choice 'allowed_tools' cannot be combined with mcp or file_search here.",
      'tool_choice',
    );
  const { mode, tools } = isJsonObject(choice['allowed_tools']) ? choice['allowed_tools'] : choice;
  const allowed = objectsOf(tools);
  const names = allowed.flatMap((one) => nameOf(one, read) ?? []);
  if (names.length === 0) return mode === 'required' ? { name: forced(allowed[0] ?? {}, read) } : 'none';
  return {
    type: 'allowed_tools',
    mode: mode === 'required' ? 'required' : 'auto',
    tools: names.map((name) => ({ type: 'function', name })),
  };
}

/** A tool that comes to the run later and has to be called, or that one has to be; null where the choice says neither. */
export function laterChoice(
  choice: string | JsonObject,
  { servers, files }: ReadTools,
  reserved: ReadonlySet<string>,
): RunChoice | 'file_search' | null {
  if (servers.length === 0 && files === null) return null;
  if (choice === 'required') return choice;
  if (typeof choice === 'string') return null;
  if (choice['type'] === 'file_search') return 'file_search';
  if (choice['type'] !== 'mcp') return null;
  const { server_label: label, name } = choice;
  if (typeof label !== 'string' || typeof name !== 'string') return 'required';
  return { name: flatName(name, label, reserved) };
}

function checkServer({ server_label: label }: JsonObject, { servers }: ReadTools): void {
  if (servers.some((one) => one.label === label)) return;
  const asked = quote(textOf(label));
  throw invalidValue(
    `Tool choice 'mcp' names the server '${asked}', which is not among the tools.`,
    'tool_choice',
  );
}

function forced(choice: JsonObject, read: ReadTools): string {
  const name = nameOf(choice, read);
  if (name !== null) return name;
  const { type, name: called } = choice;
  if (typeof type === 'string' && read.leftOut.has(type)) return refuseLeftOut(type);
  const asked = [called, type].find((one) => typeof one === 'string') ?? '';
  throw invalidValue(`Tool choice '${quote(asked)}' not found in 'tools' parameter.`, 'tool_choice');
}

/** The name under which the run knows the tool of a choice; null where there is none. */
function nameOf({ type, name, namespace }: JsonObject, { calls, tools }: ReadTools): string | null {
  if (typeof name === 'string') {
    const found = [...calls].find(
      ([, call]) => call.name === name && (typeof namespace !== 'string' || call.namespace === namespace),
    );
    return found?.[0] ?? null;
  }
  const own = [...calls].find(([, { kind }]) => kind === type && kind !== 'function' && kind !== 'custom');
  if (own !== undefined) return own[0];
  const served = servedBy(textOf(type));
  return tools.some((tool) => tool.type === served) ? served : null;
}

function refuseLeftOut(type: string): never {
  throw new Fault('invalid_tool', `Tool '${quote(type)}' is not available on this server.`, {
    param: 'tool_choice',
  });
}
