import type { Example } from '../../decisions/feature.ts';
import { takeVerb, takeWords } from '../../../kernel/commands/command-line.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printTable, type Column } from '../../../kernel/commands/print.ts';
import { createProgress } from '../../../kernel/commands/progress.ts';
import { listAt, numberAt, textAt } from '../../../kernel/kit/json-path.ts';
import type { Json, JsonObject } from '../../../kernel/kit/json.ts';
import { deciderPath } from '../fits.ts';
import type { Client } from '../open-client.ts';
import { printReply, readBytes, readPages, toCall, type ClientWork } from './client-command.ts';
import { toLine } from './client-paint.ts';

export interface ExampleOptions {
  readonly json: boolean;
  /** All of them are meant. */
  readonly all: boolean;
}

/** Of one call: what the server takes is a thousand, and 16 MiB. */
const chunkMax = { rows: 250, bytes: 8_388_608 };
const shownMax = 60;

/** `nestor deciders examples`. Throws UsageError, and ExampleError for a file that is none. */
export function examples(
  words: readonly string[],
  options: ExampleOptions,
  context: CommandContext,
): ClientWork {
  const [verb, rest] = takeVerb(words, ['add', 'ls', 'rm'], 'ls');
  const verbs = { add, ls: list, rm: remove } as const;
  return verbs[verb](rest, options, context);
}

function add([name, ...files]: readonly string[], { json }: ExampleOptions, context: CommandContext) {
  if (name === undefined) throw new UsageError('NAME is missing.');
  if (files.length === 0) throw new UsageError('FILE is missing.');
  const { out, err, clock } = context;
  const options = { split: 'test', outside: false };
  const contents = files.map((file) => ({ file, bytes: readBytes(file, context) }));
  return async (client: Client): Promise<void> => {
    // The other verbs need nothing of what answers.
    const { readExamples } = await import('../../decisions/feature.ts');
    const given = contents
      .flatMap(({ file, bytes }) => readExamples(bytes, file, options).examples)
      .map(toGiven);
    const path = `${deciderPath(name)}/examples`;
    const progress = createProgress(err, given.length, clock);
    const ids: Json[] = [];
    let total = 0;
    try {
      for (const chunk of chunksOf(given)) {
        const reply = await client.call({ ...toCall('POST', path, context), json: { examples: chunk } });
        ids.push(...listAt(reply, 'ids'));
        total = numberAt(reply, 'total') ?? 0;
        progress.update(ids.length, 0);
      }
    } catch (error) {
      if (ids.length > 0) err.write(`\n${ids.length} of ${given.length} examples were stored\n`);
      throw error;
    } finally {
      progress.finish();
    }
    if (json) printReply(out, { ids, total });
    else out.write(`Stored ${ids.length}; ${toLine(name)} has ${total}\n`);
  };
}

const columns: readonly Column<JsonObject>[] = [
  { heading: 'ID', of: (example) => textAt(example, 'id') },
  { heading: 'ANSWER', of: (example) => shown(example['answer']) },
  { heading: 'STATE', of: (example) => shown(example['state']) },
];

function list(words: readonly string[], { json }: ExampleOptions, context: CommandContext) {
  const [name] = takeWords(words, ['NAME']);
  return async (client: Client): Promise<void> => {
    const found = await readPages(client, `${deciderPath(name)}/examples`, 'examples', context);
    if (json) printReply(context.out, { examples: found, total: found.length });
    else printTable(context.out, found, columns);
  };
}

function remove(words: readonly string[], { json, all }: ExampleOptions, context: CommandContext) {
  const [name, ...ids] = words;
  if (name === undefined) throw new UsageError('NAME is missing.');
  if (all === ids.length > 0) throw new UsageError('Give the ids of examples, or --all.');
  return async (client: Client): Promise<void> => {
    const path = `${deciderPath(name)}/examples`;
    const paths = all ? [path] : ids.map((id) => `${path}/${encodeURIComponent(id)}`);
    for (const one of paths) await client.call(toCall('DELETE', one, context));
    if (json) printReply(context.out, { decider: name, deleted: all ? true : ids });
    else context.out.write(`Deleted ${all ? 'all examples' : ids.length} of ${toLine(name)}\n`);
  };
}

const toGiven = ({ state, question, answer }: Example) => ({ state, question, answer });

function* chunksOf(given: readonly JsonObject[]): Generator<readonly JsonObject[]> {
  let chunk: JsonObject[] = [];
  let bytes = 0;
  for (const one of given) {
    const size = Buffer.byteLength(JSON.stringify(one));
    if (chunk.length === chunkMax.rows || (chunk.length > 0 && bytes + size > chunkMax.bytes)) {
      yield chunk;
      [chunk, bytes] = [[], 0];
    }
    chunk.push(one);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

/** One line of what a caller stored, safe for a terminal. */
function shown(value: Json | undefined): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return toLine(text.length > shownMax ? `${text.slice(0, shownMax - 1)}…` : text);
}
