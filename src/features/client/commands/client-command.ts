import type { ParseArgsOptionsConfig } from 'node:util';
import { ApiError, describeApiError } from '../api.ts';
import { openClient, type Client } from '../open-client.ts';
import type { Terminal } from '../../../kernel/commands/progress.ts';
import type { Json } from '../../../kernel/kit/json.ts';
import { runCommand, type CommandText, type OwnLine } from '../../../kernel/commands/run-command.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { toPlain } from './client-paint.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const serverOptions = { url: { type: 'string' }, key: { type: 'string' } } as const;

export const clientUsage = `  --json                print the answer as one JSON value, as the server sent it
  --url URL             the server, in place of NESTOR_URL (default http://127.0.0.1:8787)
  --key KEY             your key, in place of NESTOR_KEY or NESTOR_ROOT_KEY

Exit codes: 0 done, 1 failed, 2 wrong command or configuration, 130 interrupted.`;

const usualUrl = 'http://127.0.0.1:8787';
const connectionsMax = 64;

type ServerLine<Own extends ParseArgsOptionsConfig> = OwnLine<typeof serverOptions & Own>;
export type ClientValues<Own extends ParseArgsOptionsConfig> = ServerLine<Own>['values'];

/** Does the work of a command on a server. Resolves to the exit code. */
export type ClientWork = (client: Client) => Promise<number>;

interface ClientCommand<Own extends ParseArgsOptionsConfig> extends CommandText<Own> {
  /** Checks the command line before anything is sent. Throws UsageError. */
  plan(line: ServerLine<Own>): ClientWork;
}

/** Runs a command on a server. Resolves to the exit code; a refusal of the server is printed in one line. */
export function runClientCommand<Own extends ParseArgsOptionsConfig>(
  command: ClientCommand<Own>,
  argv: readonly string[],
  context: CommandContext,
): Promise<number> {
  const options: typeof serverOptions & Own = { ...serverOptions, ...command.options };
  return runCommand({ ...command, options }, argv, context, async (line) => {
    const work = command.plan(line);
    const { url, key } = line.values as { readonly url?: string; readonly key?: string };
    const client = openClient({ ...toServer({ url, key }, context), connectionsMax });
    try {
      return await work(client);
    } catch (error) {
      return reportFailure(error, context);
    } finally {
      await client.close();
    }
  });
}

/** Which server is asked, and as whom. Throws UsageError. */
export function toServer(
  given: { readonly url: string | undefined; readonly key: string | undefined },
  { api }: Pick<CommandContext, 'api'>,
): { readonly url: () => string; readonly key: string | null } {
  const url = (given.url ?? (api.url || usualUrl)).replace(/(?<!\/)\/+$/, '');
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError('--url and NESTOR_URL take an http or https address.');
  }
  const key = given.key ?? (api.key || null);
  if (key !== null && !/^[\x21-\x7e]+$/.test(key))
    throw new UsageError('The key is not one: it has letters that no key has.');
  return { url: () => url, key };
}

/** As the server sent it: names are the caller's and stay as they are. */
export function printReply(out: Terminal, reply: Json): void {
  out.write(`${JSON.stringify(reply, null, 2)}\n`);
}

function reportFailure(error: unknown, { err, api, signal }: CommandContext): number {
  if (signal.aborted) return exitCodes.interrupted;
  if (!(error instanceof ApiError)) throw error;
  const message = toPlain(describeApiError(error), { lines: false });
  err.write(`nestor: ${message}${adviceFor(error, api.key)}\n`);
  return exitCodes.failed;
}

function adviceFor({ status, isUnreachable }: ApiError, key: string | undefined): string {
  if (isUnreachable) return ' Is a server running? `nestor serve` starts one, --url names another.';
  if (status === 401) return key ? ' Is it the right key for this server?' : ' Set NESTOR_KEY or give --key.';
  return '';
}
