import { destination, pino, type Logger } from 'pino';

export type Log = Logger;

interface LogOptions {
  readonly level: string;
  /** `auto` is `pretty` where a person looks and `json` elsewhere. */
  readonly format: 'auto' | 'pretty' | 'json';
}

/** Whatever is logged under these names is replaced, one level deep or two. */
const secretNames = ['authorization', 'key', 'token', 'auth_token', 'password', 'secret', 'cookie'];

/**
 * Opens the log on standard error; standard output belongs to the commands. Lines are written in the background.
 * Nothing that a caller sent is logged: no bodies, no headers, no addresses of theirs.
 */
export async function openLog({ level, format }: LogOptions): Promise<Log> {
  const pretty = format === 'pretty' || (format === 'auto' && process.stderr.isTTY);
  const options = {
    level,
    base: null,
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
