import { ApiError, openClient, toServer } from '../../client/feature.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import { exitCodes } from '../../../kernel/commands/exit-codes.ts';
import { findServer } from '../../../kernel/commands/running-server.ts';
import { isJsonObject } from '../../../kernel/kit/json.ts';
import { at, listAt, textAt } from '../../../kernel/kit/json-path.ts';

type Greeted = Pick<CommandContext, 'api' | 'usualFolder' | 'version' | 'out' | 'signal'>;

/** How long somebody waits for what a server says of itself. */
const usualWaitMs = 2_000;

/** `nestor` alone: what is here, and what to do next. Looking makes nothing. Resolves to the exit code. */
export async function greet(context: Greeted, timeoutMs = usualWaitMs): Promise<number> {
  const { api, usualFolder, version, out } = context;
  const url = api.url || findServer(usualFolder);
  const found = url === null ? null : await askServer(url, context, timeoutMs);
  const about =
    url === null
      ? [`No server runs on ${usualFolder}.`]
      : found === null
        ? [`${url} does not answer. Is it the right address, and does it run?`]
        : [`A server ${states[found.state]} at ${url}`, ...found.lines];
  const next = found === null ? beforeServing : withServer(url ?? '', Boolean(api.key));
  const width = Math.max(...next.map(([command]) => command.length)) + 2;
  out.write(
    [
      `Nestor ${version}: decisions, grounded answers and model routing on your own machine`,
      '',
      ...about,
      '',
      'Next:',
      ...next.map(([command, what]) => `  ${command.padEnd(width)}${what}`),
      '',
      'nestor --help lists all commands.',
      '',
    ].join('\n'),
  );
  return exitCodes.done;
}

/** One that said nothing may be ready, and busy. */
const states = {
  ready: 'is ready',
  'not ready': 'runs and is not ready (nestor doctor tells why)',
  silent: 'runs, and did not say in time whether it is ready,',
} as const;

type Step = readonly [command: string, what: string];

const beforeServing: readonly Step[] = [
  ['nestor serve', 'begin: the API and the console; nothing has to be set'],
  ['nestor demo', 'a scratch server with something to look at, and the first steps'],
  ['nestor init', 'a configuration, by answering five questions'],
];

const withServer = (url: string, hasKey: boolean): readonly Step[] => [
  ...(hasKey ? [] : [['export NESTOR_KEY=svc-…', 'your key, which the first start printed'] as const]),
  ['nestor decide "I want my money back" --noul "Is a refund asked for?"', 'a decision'],
  ['nestor ask "How do I revoke a token?"', 'an answer with its sources'],
  ...(hasKey ? [[`${url}/console/first-steps`, 'the console, in a browser'] as const] : []),
];

/** What a server says of itself; null where none answers. */
async function askServer(
  url: string,
  context: Greeted,
  timeoutMs: number,
): Promise<{ readonly state: keyof typeof states; readonly lines: readonly string[] } | null> {
  const { signal } = context;
  const client = openClient({ ...toServer({ url }, context), connectionsMax: 2 });
  let state: keyof typeof states = 'silent';
  const call = (path: string) => client.call({ method: 'GET', path, timeoutMs, signal });
  const get = (path: string) => call(path).catch(() => null);
  const getReady = async () => {
    try {
      const body = await call('/readyz');
      state = 'ready';
      return body;
    } catch (error) {
      if (error instanceof ApiError && error.status !== null) state = 'not ready';
      return null;
    }
  };
  try {
    const [service, ready, deciders] = await Promise.all([
      get('/'),
      getReady(),
      context.api.key ? get('/v1/deciders') : null,
    ]);
    if (textAt(service, 'name') !== 'nestor') return null;
    const first = listAt(deciders, 'deciders').find(
      (one) => isJsonObject(one) && one['owner'] === 'operator',
    );
    const engine = textAt(at(first ?? null, 'definition'), 'engine');
    const chat = textAt(at(ready, 'checks'), 'chat');
    return {
      state,
      lines: [
        ...(engine === null ? [] : [`Decisions: the engine "${engine}"`]),
        ...(chat === 'not_configured' ? ['Chat: no model; answers are sentences of the sources'] : []),
      ],
    };
  } finally {
    await client.close();
  }
}
