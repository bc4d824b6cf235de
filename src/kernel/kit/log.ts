import { destination, pino, stdSerializers, type Logger } from 'pino';

export type Log = Logger;

interface LogOptions {
  readonly level: string;
  /** `auto` is `pretty` on a terminal and `json` elsewhere. */
  readonly format: 'auto' | 'pretty' | 'json';
}

/** Values under these names are censored, one or two levels deep. */
const secretNames = ['authorization', 'key', 'token', 'auth_token', 'password', 'secret', 'cookie'];

/**
 * Opens the log on standard error, written in the background. Nothing that a caller sent is logged: no bodies,
 * headers or addresses.
 */
export async function openLog({ level, format }: LogOptions): Promise<Log> {
  const pretty = format === 'pretty' || (format === 'auto' && process.stderr.isTTY);
  const options = {
    level,
    base: null,
    serializers: { err: toLogged },
    redact: {
      paths: [...secretNames, ...secretNames.map((name) => `*.${name}`), '["x-api-key"]', '*["x-api-key"]'],
      censor: '****',
    },
  };
  if (!pretty) return pino(options, destination({ dest: 2, sync: false }));
  const { default: prettify } = await import('pino-pretty');
  return pino(
    options,
    prettify({ destination: 2, sync: true, ignore: 'pid,hostname', colorize: process.stderr.isTTY }),
  );
}

/** An error as it is logged. An abort is a DOMException, and the names of all 25 codes of those count as its fields. */
export function toLogged(error: Error): object {
  const told = stdSerializers.err(error);
  if (!(error instanceof DOMException)) return told;
  const { type, message, stack } = told;
  return { type, message, stack };
}
