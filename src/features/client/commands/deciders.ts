import { deciderPath } from '../fits.ts';
import { listAt, objectsAt, textAt } from '../../../kernel/kit/json-path.ts';
import { isJsonObject, type JsonObject } from '../../../kernel/kit/json.ts';
import { takeVerb, takeWords } from '../../../kernel/commands/command-line.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printTable, type Column } from '../../../kernel/commands/print.ts';
import {
  clientCommand,
  clientUsage,
  printReply,
  readBytes,
  toCall,
  type ClientValues,
  type ClientWork,
} from './client-command.ts';
import { toLine } from './client-paint.ts';
import { examples } from './decider-examples.ts';
import { fit, fits, rollback } from './decider-fits.ts';

const usage = `nestor deciders: engines with names and policies

  nestor deciders ls                every decider that your requests may name
  nestor deciders show NAME         what one is
  nestor deciders set NAME FILE     make one, or replace it whole, by a JSON file
  nestor deciders rm NAME           delete one of your own

  nestor deciders examples add NAME FILE…   send examples, as \`nestor eval\` reads them
  nestor deciders examples ls NAME          those that it has
  nestor deciders examples rm NAME ID…      delete some, or --all of them
  nestor deciders fit NAME                  learn from all examples, and wait for the end
  nestor deciders fits NAME                 what it learned, newest first
  nestor deciders rollback NAME             answer with what was learned before

  nestor deciders set careful careful.json
  nestor deciders examples add desk queues.csv && nestor deciders fit desk

  --all                 with \`examples rm\`: all examples
  --no-wait             with \`fit\`: only begin, and print its id
  --max-error SHARE     with \`fit\`: tell from which confidence on at most this share of answers is wrong

${clientUsage}
See docs/guide/deciders.md and docs/guide/learning.md.`;

const path = '/v1/deciders';

const options = {
  all: { type: 'boolean', default: false },
  'no-wait': { type: 'boolean', default: false },
  'max-error': { type: 'string' },
} as const;
const names = ['ls', 'show', 'set', 'rm', 'examples', 'fit', 'fits', 'rollback'] as const;

type Values = ClientValues<typeof options>;

export const runDeciders = clientCommand({
  name: 'deciders',
  usage,
  options,
  verbs: names,
  plan({ values, words }, context) {
    const verbs = { ls: list, show, set, rm: remove, examples, fit, fits, rollback } as const;
    const [verb, rest] = takeVerb(words, names, 'ls');
    if (values.all && verb !== 'examples') throw new UsageError('--all belongs to examples rm.');
    if (values['no-wait'] && verb !== 'fit') throw new UsageError('--no-wait belongs to fit.');
    if (values['max-error'] !== undefined && verb !== 'fit')
      throw new UsageError('--max-error belongs to fit.');
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
    else printTable(context.out, objectsAt(reply, 'deciders'), columns);
  };
}

function show(words: readonly string[], _: Values, context: CommandContext): ClientWork {
  const [name] = takeWords(words, ['NAME']);
  return async (client) =>
    printReply(context.out, await client.call(toCall('GET', deciderPath(name), context)));
}

function set(words: readonly string[], { json }: Values, context: CommandContext): ClientWork {
  const [name, source] = takeWords(words, ['NAME', 'FILE']);
  const definition = readDefinition(source, context);
  return async (client) => {
    const decider = await client.call({ ...toCall('PUT', deciderPath(name), context), json: definition });
    if (json) printReply(context.out, decider);
    else context.out.write(`Set ${toLine(name)}\n`);
  };
}

function remove(words: readonly string[], { json }: Values, context: CommandContext): ClientWork {
  const [name] = takeWords(words, ['NAME']);
  return async (client) => {
    await client.call(toCall('DELETE', deciderPath(name), context));
    if (json) printReply(context.out, { name, deleted: true });
    else context.out.write(`Deleted ${toLine(name)}\n`);
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
