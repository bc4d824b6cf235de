import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import { withoutEndSlashes } from '../../../kernel/kit/text.ts';
import { errorCode } from '../../../kernel/kit/errors.ts';
import { ApiError, describeApiError, type ApiRequest } from '../api.ts';
import { openClient, type Client } from '../open-client.ts';
import type { Terminal } from '../../../kernel/commands/progress.ts';
import type { Json, JsonObject } from '../../../kernel/kit/json.ts';
import { objectsAt, textAt } from '../../../kernel/kit/json-path.ts';
import { defineCommand, type CommandText, type OwnLine } from '../../../kernel/commands/run-command.ts';
import { findServer } from '../../../kernel/commands/running-server.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { toLine } from './client-paint.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const serverOptions = { url: { type: 'string' }, key: { type: 'string' } } as const;

export const clientUsage = `  --json                print the answer as one JSON value, as the server sent it
  --url URL             the server, in place of NESTOR_URL (default: the one that runs on this data folder, or else
                        http://127.0.0.1:8787)
  --key KEY             your key, in place of NESTOR_KEY or NESTOR_ROOT_KEY

Exit codes: 0 done, 1 failed, 2 wrong command or configuration, 130 interrupted.`;

const usualUrl = 'http://127.0.0.1:8787';
const connectionsMax = 64;
const timeoutMs = 120_000;
const pageMax = 200;

const inputBytesMax = 33_554_432;

type ServerLine<Own extends ParseArgsOptionsConfig> = OwnLine<typeof serverOptions & Own>;
export type ClientValues<Own extends ParseArgsOptionsConfig> = ServerLine<Own>['values'];

/** Does the work of a command on a server. Resolves to the exit code where it is another than that of success. */
export type ClientWork = (client: Client) => Promise<number | void>;

interface ClientCommand<Own extends ParseArgsOptionsConfig> extends CommandText<Own> {
  /** Checks the command line before anything is sent. Throws UsageError. */
  plan(line: ServerLine<Own>, context: CommandContext): ClientWork;
}

/** A command on a server. It resolves to the exit code; a refusal of the server is printed in one line. */
export function clientCommand<Own extends ParseArgsOptionsConfig>(command: ClientCommand<Own>) {
  const options: typeof serverOptions & Own = { ...serverOptions, ...command.options };
  return defineCommand({ ...command, options }, async (line, context: CommandContext) => {
    const work = command.plan(line, context);
    const client = openClient({ ...toServer(line.values, context), connectionsMax });
    try {
      return (await work(client)) ?? exitCodes.done;
    } catch (error) {
      return reportFailure(error, context);
    } finally {
      await client.close();
    }
  });
}

/** Which server is asked, and as whom. Throws UsageError. */
export function toServer(
  given: { readonly url?: string | undefined; readonly key?: string | undefined },
  { api, usualFolder }: Pick<CommandContext, 'api' | 'usualFolder'>,
): { readonly url: () => string; readonly key: string | null } {
  const url = withoutEndSlashes(given.url ?? (api.url || (findServer(usualFolder) ?? usualUrl)));
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError('--url and NESTOR_URL take an http or https address.');
  }
  const key = given.key ?? (api.key || null);
  if (key !== null && !/^[\x21-\x7e]+$/.test(key))
    throw new UsageError('The key is not one: it has letters that no key has.');
  return { url: () => url, key };
}

/** A call whose reply comes at once. */
export function toCall(
  method: ApiRequest['method'],
  path: string,
  { signal }: Pick<CommandContext, 'signal'>,
): ApiRequest {
  return { method, path, timeoutMs, signal };
}

/** All pages of a list, as one. */
export async function readPages(
  client: Client,
  path: string,
  name: string,
  context: Pick<CommandContext, 'signal'>,
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  for (let query = ''; ;) {
    const page = await client.call(toCall('GET', `${path}?limit=${pageMax}${query}`, context));
    found.push(...objectsAt(page, name));
    const token = textAt(page, 'next_page_token');
    if (token === null) return found;
    query = `&page_token=${encodeURIComponent(token)}`;
  }
}

/** As the server sent it: names are the caller's and stay as they are. */
export function printReply(out: Terminal, reply: Json): void {
  out.write(`${JSON.stringify(reply, null, 2)}\n`);
}

function reportFailure(error: unknown, { err, api, signal }: CommandContext): number {
  if (signal.aborted) return exitCodes.interrupted;
  if (!(error instanceof ApiError)) throw error;
  const message = toLine(describeApiError(error));
  err.write(`nestor: ${message}${adviceFor(error, api.key)}\n`);
  return exitCodes.failed;
}

function adviceFor({ status, isUnreachable }: ApiError, key: string | undefined): string {
  if (isUnreachable) return ' Is a server running? `nestor serve` starts one, --url names another.';
  if (status === 401) return key ? ' Is it the right key for this server?' : ' Set NESTOR_KEY or give --key.';
  return '';
}

/** Throws UsageError for a file that cannot be read: the command line names it. */
export function readBytes(path: string, { cwd }: Pick<CommandContext, 'cwd'>): Buffer {
  try {
    return readFileSync(resolve(cwd, path));
  } catch (error) {
    const code = errorCode(error) ?? 'unknown';
    throw new UsageError(`${path} cannot be read (${code}).`);
  }
}

/** The words, or standard input where there are none and it is no terminal. Throws UsageError. */
export async function readWordsOrInput(
  words: readonly string[],
  what: string,
  { stdin }: Pick<CommandContext, 'stdin'>,
): Promise<string> {
  const isPiped = words.length === 1 && words[0] === '-';
  if (words.length > 0 && !isPiped) return words.join(' ');
  if (!isPiped && stdin.isTTY === true) throw new UsageError(`${what} is missing.`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > inputBytesMax) throw new UsageError(`${what} has more than ${inputBytesMax} bytes.`);
    chunks.push(Buffer.from(chunk));
  }
  const text = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (text.trim() === '') throw new UsageError(`${what} is missing.`);
  return text;
}
