import { mkdtemp, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { startModule, type ModuleGateway } from './gateway-peers.ts';

/** The whole server before a scripted model: keys, limits, the ledger and the log are on. That of another checkout, if named. */
export async function startNestor(
  upstream: string,
  key: string,
  data: string,
  checkout?: string,
): Promise<ModuleGateway> {
  const folder = await mkdtemp(join(data, 'nestor-'));
  const config = {
    log: { level: 'warn' },
    rate_limits: { tables: { router_qps: 1_000_000_000, router_rpm: 1_000_000_000 } },
    providers: [
      { name: 'bench', type: 'openai-compatible', base_url: `${upstream}/v1`, models: ['instant'] },
    ],
  };
  const file = join(folder, 'bench.yaml');
  await writeFile(file, JSON.stringify(config));
  const module =
    checkout === undefined
      ? 'nestor-server.ts'
      : pathToFileURL(resolve(checkout, 'bench/support/nestor-server.ts')).href;
  return startModule(module, {
    NESTOR_CONFIG: file,
    NESTOR_DATA: folder,
    NESTOR_PORT: '0',
    NESTOR_DETECT: 'false',
    BENCH_DOCS: 'off',
    NESTOR_ROOT_KEY: key,
  });
}
