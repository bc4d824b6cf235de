import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startChild } from './child.ts';
import { startProgram } from './program.ts';

/** What is measured: a process between the clients and the model. */
export interface Gateway {
  readonly url: string;
  readonly pid: number;
  /** Used by its process, threads included. Unit: ms. */
  cpuMs(): Promise<number>;
  close(): Promise<void>;
}

const peersFolder = fileURLToPath(new URL('../../node_modules/.cache/bench-peers', import.meta.url));
const packages = { '@musistudio/llms': '1.0.53', '@portkey-ai/gateway': '1.15.2' } as const;
const entries = {
  '@musistudio/llms': ['peer-llms.mjs', 'dist/cjs/server.cjs'],
  '@portkey-ai/gateway': ['peer-portkey.mjs', 'build/start-server.js'],
} as const satisfies Readonly<Record<keyof typeof packages, readonly [string, string]>>;

/** One that tells of its memory too. */
export interface ModuleGateway extends Gateway {
  residentMb(): Promise<number>;
}

/** A server in a module of this folder. */
export async function startModule(
  file: string,
  env: Readonly<Record<string, string>>,
): Promise<ModuleGateway> {
  const child = await startChild(new URL(file, import.meta.url), env);
  return {
    url: child.url,
    pid: child.pid,
    cpuMs: async () => (await child.usage()).cpuMs,
    residentMb: async () => (await child.usage()).residentMb,
    close: () => child.stop(),
  };
}

export type PeerName = keyof typeof packages;

export const nameOf = (peer: PeerName): string => `${peer} ${packages[peer]}`;

/** A gateway from npm, installed when it is first wanted. */
export function startPeer(peer: PeerName, upstream: string): Promise<Gateway> {
  installPackages();
  const [file, entry] = entries[peer];
  const module = pathToFileURL(join(peersFolder, 'node_modules', peer, entry)).href;
  return startModule(file, { BENCH_UPSTREAM: upstream, BENCH_PEER: module, NODE_ENV: 'production' });
}

function installPackages(): void {
  const names = Object.keys(packages);
  if (names.every((name) => existsSync(join(peersFolder, 'node_modules', name)))) return;
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  execFileSync('npm', ['install', '--prefix', peersFolder, ...options, ...wanted], { stdio: 'ignore' });
}

export const liteLlmName = 'LiteLLM 1.106.2';

/** LiteLLM's proxy with one worker, as its own documents start it, with a key that it checks and no database. */
export async function startLiteLlm(upstream: string, key: string, data: string): Promise<Gateway> {
  const python = installLiteLlm();
  const config = join(data, 'litellm.json');
  const model = { model: 'openai/instant', api_base: `${upstream}/v1`, api_key: 'upstream-key' };
  // JSON is YAML.
  await writeFile(
    config,
    JSON.stringify({
      model_list: [{ model_name: 'instant', litellm_params: model }],
      general_settings: { master_key: key },
      litellm_settings: { use_chat_completions_url_for_anthropic_messages: true },
    }),
  );
  return startProgram({
    command: join(python, 'bin/litellm'),
    args: (port) => [
      '--config',
      config,
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--telemetry',
      'False',
    ],
    env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR' },
    healthPath: '/health/readiness',
  });
}

/** The folder of its Python, made when it is first wanted: 742 MB, every package known by its hash. */
function installLiteLlm(): string {
  const python = join(peersFolder, 'litellm');
  if (existsSync(join(python, 'installed'))) return python;
  const wanted = fileURLToPath(new URL('litellm-requirements.txt', import.meta.url));
  execFileSync('python3', ['-m', 'venv', python]);
  const options = ['-q', '--disable-pip-version-check', '--no-deps', '--require-hashes', '-r', wanted];
  execFileSync(join(python, 'bin/pip'), ['install', ...options], { stdio: 'ignore' });
  execFileSync('touch', [join(python, 'installed')]);
  return python;
}
