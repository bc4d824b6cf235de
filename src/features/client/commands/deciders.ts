import type { ApiRequest } from '../api.ts';
import { listAt, textAt } from '../../../kernel/kit/json-path.ts';
import { isJsonObject, type JsonObject } from '../../../kernel/kit/json.ts';
import { takeVerb, takeWords } from '../../../kernel/commands/command-line.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printRecords, type Column } from '../../../kernel/commands/print.ts';
import {
  clientCommand,
  clientUsage,
  printReply,
  readBytes,
  type ClientValues,
  type ClientWork,
} from './client-command.ts';
import { toPlain } from './client-paint.ts';

const usage = `nestor deciders: engines with names and policies

  nestor deciders ls                every decider that your requests may name
  nestor deciders show NAME         what one is
  nestor deciders set NAME FILE     make one, or replace it whole, by a JSON file
  nestor deciders rm NAME           delete one of your own

  nestor deciders set careful careful.json

${clientUsage}
See docs/guide/deciders.md.`;

const path = '/v1/deciders';
const timeoutMs = 120_000;

const options = {} as const;

type Values = ClientValues<typeof options>;

export const runDeciders = clientCommand({
  name: 'deciders',
  usage,
  options,
  plan({ values, words }, context) {
    const [verb, rest] = takeVerb(words, ['ls', 'show', 'set', 'rm'], 'ls');
    const verbs = { ls: list, show, set, rm: remove } as const;
    return verbs[verb](rest, values, context);
  },
});

const columns: readonly Column<JsonObject>[] = [
  { heading: 'NAME', of: (decider) => textAt(decider, 'name') },
  { heading: 'OWNER', of: (decider) => textAt(decider, 'owner') },
  { heading: 'ASKS', of: asks },
  { heading: 'UPDATED', of: (decider) => textAt(decider, 'updated_at') },
];

/** An engine, or the deciders of a cascade in order. */
function asks(decider: JsonObject): string | null {
  const definition = decider['definition'] ?? null;
  const cascade = listAt(definition, 'cascade').map((stage) => textAt(stage, 'decider'));
  return cascade.length > 0 ? cascade.join(' > ') : textAt(definition, 'engine');
}

function list(words: readonly string[], { json }: Values, context: CommandContext): ClientWork {
  takeWords(words, []);
  return async (client) => {
    const reply = await client.call(toCall('GET', path, context));
    if (json) printReply(context.out, reply);
    else printRecords(context.out, listAt(reply, 'deciders').filter(isJsonObject), columns, false);
  };
}

function show(words: readonly string[], _: Values, context: CommandContext): ClientWork {
  const [name] = takeWords(words, ['NAME']);
  return async (client) => printReply(context.out, await client.call(toCall('GET', toPath(name), context)));
}

function set(words: readonly string[], { json }: Values, context: CommandContext): ClientWork {
  const [name, source] = takeWords(words, ['NAME', 'FILE']);
  const definition = readDefinition(source, context);
  return async (client) => {
    const decider = await client.call({ ...toCall('PUT', toPath(name), context), json: definition });
    if (json) printReply(context.out, decider);
    else context.out.write(`Set ${toPlain(name, { lines: false })}\n`);
  };
}

function remove(words: readonly string[], { json }: Values, context: CommandContext): ClientWork {
  const [name] = takeWords(words, ['NAME']);
  return async (client) => {
    await client.call(toCall('DELETE', toPath(name), context));
    if (json) printReply(context.out, { name, deleted: true });
    else context.out.write(`Deleted ${toPlain(name, { lines: false })}\n`);
  };
}

/** Throws UsageError. */
function readDefinition(source: string, context: CommandContext): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(readBytes(source, context).toString('utf8'));
  } catch (error) {
    if (error instanceof UsageError) throw error;
  }
  if (isJsonObject(value)) return value;
  throw new UsageError(`${source} is not a JSON object.`);
}

const toPath = (name: string): string => `${path}/${encodeURIComponent(name)}`;

function toCall(method: ApiRequest['method'], place: string, { signal }: CommandContext): ApiRequest {
  return { method, path: place, timeoutMs, signal };
}
