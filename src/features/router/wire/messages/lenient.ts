import { isJsonObject } from '../../../../kernel/kit/json.ts';

const fields: ReadonlySet<string> = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'stream',
  'temperature',
  'top_p',
  'stop_sequences',
  'thinking',
  'metadata',
  'tools',
  'tool_choice',
]);

/** Fields of a body that are not looked at, in its order: what strict mode would refuse. Contract 14.2. */
export function ignoredFields(body: Readonly<Record<string, unknown>>): string[] {
  const ignored: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (!fields.has(name)) ignored.push(name);
    else if (name === 'thinking') {
      if (!isJsonObject(value) || value['type'] !== 'disabled') ignored.push(name);
    } else if (name === 'tools') addTools(value, ignored);
    else if (name === 'system' || name === 'messages') addCacheControl(value, name, ignored);
  }
  return ignored;
}

function addTools(tools: unknown, ignored: string[]): void {
  if (!Array.isArray(tools)) return;
  for (const [index, tool] of tools.entries()) {
    if (!isJsonObject(tool)) continue;
    if ('cache_control' in tool) ignored.push(`tools.${index}.cache_control`);
    if (!tool['description']) ignored.push(`tools.${index}.description`);
  }
}

/** Through `content`, which nests: messages hold blocks, and results of tools hold blocks again. */
function addCacheControl(list: unknown, path: string, ignored: string[]): void {
  if (!Array.isArray(list)) return;
  for (const [index, item] of list.entries()) {
    if (!isJsonObject(item)) continue;
    const at = `${path}.${index}`;
    if ('cache_control' in item && 'type' in item) ignored.push(`${at}.cache_control`);
    addCacheControl(item['content'], `${at}.content`, ignored);
  }
}
