import { accessSync, constants, existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import type { Config } from '../../../kernel/config.ts';
import { hasFailed, hasWarning, isOk, type Finding } from './doctor-check.ts';

const oldestNode = 24;
const usualNode = 26;
const gibibyte = 2 ** 30;
const freeBytesMin = gibibyte / 4;
const freeBytesWanted = 2 * gibibyte;

export function checkRuntime(versions: { readonly node: string }, platform: string): Finding {
  const major = Number(versions.node.split('.')[0]);
  const found = `Node ${versions.node} on ${platform}`;
  if (major < oldestNode)
    return hasFailed('runtime', found, `Nestor needs Node ${oldestNode} or newer; npm install brings one.`);
  if (major < usualNode)
    return hasWarning(
      'runtime',
      found,
      `Tests run on Node ${usualNode}; npm run nestor uses the one that is installed.`,
    );
  return isOk('runtime', found);
}

/** The folder that the server writes to, or the nearest one above it that exists. */
export function checkDataFolder({ dataFolder }: Config): Finding {
  const nearest = toExisting(dataFolder);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
  } catch {
    return hasFailed(
      'data folder',
      `${nearest} cannot be written`,
      `Give it to the user that runs Nestor, or set NESTOR_DATA.`,
    );
  }
  return isOk(
    'data folder',
    nearest === dataFolder ? dataFolder : `${dataFolder} is made at the first start`,
  );
}

export async function checkDisk({ dataFolder }: Config): Promise<Finding> {
  const { bavail, bsize } = await statfs(toExisting(dataFolder));
  const free = bavail * bsize;
  const message = `${(free / gibibyte).toFixed(1)} GiB free`;
  const advice = 'Make room, or set NESTOR_DATA to a larger disk: a full disk stops every write.';
  if (free < freeBytesMin) return hasFailed('disk', message, advice);
  return free < freeBytesWanted ? hasWarning('disk', message, advice) : isOk('disk', message);
}

function toExisting(folder: string): string {
  let nearest = folder;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  return nearest;
}

/** Whether a server could listen there now. `isOurs`: a Nestor was found to answer there. */
export async function checkPort({ host, port }: Config, isOurs: boolean): Promise<Finding> {
  const place = `${host}:${port}`;
  if (port === 0) return isOk('port', 'any free one');
  const code = await tryToListen(host, port);
  if (code === null) return isOk('port', `${place} is free`);
  if (code === 'EADDRINUSE') {
    return isOurs
      ? isOk('port', `${place} is served by Nestor`)
      : hasFailed(
          'port',
          `${place} is taken by another program`,
          'Stop it, or set NESTOR_PORT to another port.',
        );
  }
  const advice =
    code === 'EACCES'
      ? 'Ports below 1024 need rights; set NESTOR_PORT to a higher one and put a reverse proxy in front.'
      : 'Set NESTOR_HOST to an address of this machine: 127.0.0.1, or 0.0.0.0 for all.';
  return hasFailed('port', `${place} cannot be opened (${code})`, advice);
}

/** Null when it worked. */
function tryToListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? 'unknown');
    });
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => {
        resolve(null);
      });
    });
  });
}

const localHosts = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

export function checkExposure({ host, publicUrl }: Config): Finding {
  if (localHosts.test(host)) return isOk('exposure', `only this machine reaches it (${host})`);
  if (publicUrl?.startsWith('https:') === true) return isOk('exposure', `${host}, as ${publicUrl}`);
  return hasWarning(
    'exposure',
    `other machines reach it without encryption (${host})`,
    'Put a reverse proxy with TLS in front and set NESTOR_PUBLIC_URL, or set NESTOR_HOST to 127.0.0.1.',
  );
}
