import { existsSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { ApiRequest } from '../api.ts';
import type { Client } from '../open-client.ts';
import { textAt } from '../../../kernel/kit/json-path.ts';
import { isJsonObject, type JsonObject } from '../../../kernel/kit/json.ts';
import {
  clientCommand,
  clientUsage,
  printReply,
  readBytes,
  readPages,
  toCall,
  type ClientValues,
  type ClientWork,
} from './client-command.ts';
import { toLine } from './client-paint.ts';
import { isFolder, zipFolder } from './client-zip.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printTable, type Column } from '../../../kernel/commands/print.ts';
import { takeVerb, takeWords, texts } from '../../../kernel/commands/command-line.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const usage = `nestor skills: instructions with files that the agent can load

  nestor skills ls                        every skill
  nestor skills add PATH                  a new one from a folder with a SKILL.md, or from a zip of one
  nestor skills update SKILL PATH         give one a new revision
  nestor skills get SKILL [--out FILE]    what it is, or with --out the zip that was uploaded
  nestor skills rm SKILL                  delete it with all its revisions

  nestor skills add ./weekly-report
  nestor skills update skill_8Jd2kQ0mVx5TnB7cR1yLzE3a ./weekly-report
  nestor skills get skill_8Jd2kQ0mVx5TnB7cR1yLzE3a --out weekly-report.zip

  --out FILE            with get: where the zip goes; a file that exists is left as it is
  --revision REV        with get: another revision than the latest
  --expected REV        with update and rm: the revision that you have seen; when there is a newer one, nothing is
                        changed (default: whatever is the latest now)
${clientUsage}
See docs/guide/agent.md.`;

const options = texts('out', 'revision', 'expected');
const names = ['ls', 'add', 'update', 'get', 'rm'] as const;

type Values = ClientValues<typeof options>;

const path = '/v1/skills';
const downloadMs = 120_000;
const bundleBytesMax = 8_388_608;

export const runSkills = clientCommand({
  name: 'skills',
  usage,
  options,
  verbs: names,
  plan({ values, words }, context) {
    const [verb, rest] = takeVerb(words, names, 'ls');
    if ((values.out ?? values.revision) !== undefined && verb !== 'get')
      throw new UsageError('--out and --revision belong to get.');
    if (values.expected !== undefined && verb !== 'update' && verb !== 'rm')
      throw new UsageError('--expected belongs to update and rm.');
    const verbs = { ls: list, add, update, get, rm: remove } as const;
    return verbs[verb](rest, values, context);
  },
});

const columns: readonly Column<JsonObject>[] = [
  { heading: 'ID', of: (skill) => textAt(skill, 'skill_id') },
  { heading: 'NAME', of: (skill) => textAt(skill, 'name') },
  { heading: 'REVISION', of: (skill) => textAt(skill, 'latest_revision') ?? textAt(skill, 'revision') },
  { heading: 'UPDATED', of: (skill) => textAt(skill, 'updated_at') },
];

function list(words: readonly string[], { json }: Values, context: CommandContext): ClientWork {
  takeWords(words, []);
  return async (client) => {
    const skills = await readPages(client, path, 'skills', context);
    if (json) printReply(context.out, { skills });
    else printTable(context.out, skills, columns);
  };
}

function add(words: readonly string[], values: Values, context: CommandContext): ClientWork {
  const [source] = takeWords(words, ['PATH']);
  const file = readBundle(source, context);
  return (client) => upload(client, { ...toCall('POST', path, context), file }, values, context);
}

function update(words: readonly string[], values: Values, context: CommandContext): ClientWork {
  const [id, source] = takeWords(words, ['SKILL', 'PATH']);
  const file = readBundle(source, context);
  return async (client) => {
    const place = await toExpected(client, id, values.expected, context);
    return upload(client, { ...toCall('PUT', place, context), file }, values, context);
  };
}

async function upload(client: Client, request: ApiRequest, { json }: Values, { out }: CommandContext) {
  const skill = await client.call(request);
  const [id, name, revision] = ['skill_id', 'name', 'revision'].map((field) => textAt(skill, field) ?? '');
  const done = request.method === 'POST' ? 'Added' : 'Updated';
  if (json) printReply(out, skill);
  else out.write(`${done} ${toLine(name ?? '')}: ${id}, revision ${revision}\n`);
}

function remove(words: readonly string[], { json, expected }: Values, context: CommandContext): ClientWork {
  const [id] = takeWords(words, ['SKILL']);
  return async (client) => {
    const place = await toExpected(client, id, expected, context);
    await client.call(toCall('DELETE', place, context));
    if (json) printReply(context.out, { skill_id: id, deleted: true });
    else context.out.write(`Deleted ${toLine(id)}\n`);
  };
}

function get(words: readonly string[], { json, out, revision }: Values, context: CommandContext): ClientWork {
  const [id] = takeWords(words, ['SKILL']);
  const query = revision === undefined ? '' : `?revision=${encodeURIComponent(revision)}`;
  const target = out === undefined ? null : resolve(context.cwd, out);
  if (target !== null && existsSync(target)) throw new UsageError(`${out} exists and is left as it is.`);
  return async (client) => {
    const skill = await client.call(toCall('GET', `${toPath(id)}${query}`, context));
    if (target !== null) {
      const link = await client.call(toCall('GET', `${toPath(id)}/download${query}`, context));
      const { signal } = context;
      const url = textAt(link, 'download_url') ?? '';
      // Never over a file that appeared meanwhile.
      writeFileSync(
        target,
        await client.download(url, { bytesMax: bundleBytesMax, timeoutMs: downloadMs, signal }),
        {
          flag: 'wx',
        },
      );
    }
    if (json) printReply(context.out, skill);
    else {
      printTable(context.out, isJsonObject(skill) ? [skill] : [], columns);
      context.out.write(`\n${toLine(textAt(skill, 'description') ?? '')}\n`);
      if (out !== undefined) context.err.write(`Written to ${out}\n`);
    }
  };
}

const toPath = (id: string): string => `${path}/${encodeURIComponent(id)}`;

/** The path of a change, with the revision that it replaces. */
async function toExpected(
  client: Client,
  id: string,
  given: string | undefined,
  context: CommandContext,
): Promise<string> {
  const seen =
    given ?? textAt(await client.call(toCall('GET', toPath(id), context)), 'latest_revision') ?? '';
  return `${toPath(id)}?expected_revision=${encodeURIComponent(seen)}`;
}

/** A folder is packed, a file is sent as it is. Throws UsageError. */
function readBundle(source: string, context: CommandContext) {
  const target = resolve(context.cwd, source);
  const name = `${basename(target).replace(/\.zip$/, '')}.zip`;
  return { name, bytes: isFolder(target) ? zipFolder(target) : readBytes(source, context) };
}
