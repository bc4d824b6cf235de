import { setImmediate } from 'node:timers/promises';

/** What a file could change of the process that it shares with others, and so of their results. */
interface Found {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly functions: readonly (readonly [name: string, value: unknown])[];
  readonly listeners: ReadonlyMap<string, number>;
  readonly servers: number;
}

/** Signals and errors that nobody else handles. */
const events = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2', 'uncaughtException', 'unhandledRejection'];
/** `signal-exit`, which node-llama-cpp loads, listens from its import on and for as long as the process lives. */
const isOfPackage = (listener: unknown): boolean => String(listener).includes('processOk(');

/** Taken before a file; the function that comes back says what the file left behind, once what it closed is closed. */
export function watchProcess(): () => Promise<readonly string[]> {
  const before = look();
  return async () => {
    for (let turn = 0; turn < 100 && look().servers > before.servers; turn++) await setImmediate();
    return leftOf(before, look());
  };
}

function look(): Found {
  return {
    env: { ...process.env },
    folder: process.cwd(),
    functions: [
      ['Date', Date],
      ['Math.random', Math.random],
      ['fetch', fetch],
      ['setImmediate', globalThis.setImmediate],
      ['setInterval', setInterval],
      ['setTimeout', setTimeout],
    ],
    listeners: new Map(events.map((event) => [event, listenersOf(event)])),
    servers: process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length,
  };
}

const listenersOf = (event: string): number =>
  process.listeners(event).filter((listener) => !isOfPackage(listener)).length;

function leftOf(before: Found, now: Found): readonly string[] {
  const variables = Object.keys({ ...before.env, ...now.env }).filter(
    (name) => before.env[name] !== now.env[name],
  );
  const functions = now.functions.filter(([, value], at) => value !== before.functions[at]?.[1]);
  const heard = events.filter(
    (event) => (now.listeners.get(event) ?? 0) > (before.listeners.get(event) ?? 0),
  );
  return [
    ...variables.map((name) => `the environment variable ${name}`),
    ...(now.folder === before.folder ? [] : [`the folder ${now.folder}`]),
    ...functions.map(([name]) => `another ${name}`),
    ...heard.map((event) => `a listener of ${event}`),
    ...(now.servers > before.servers ? [`${now.servers - before.servers} open servers`] : []),
  ];
}
