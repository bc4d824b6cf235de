import type { Config } from '../../kernel/config.ts';
import type { Log } from '../../kernel/kit/log.ts';
import { openOutbound } from '../../kernel/kit/outbound.ts';
import { describeFinding, findFile, findLocalServer, findServices, type Finding } from './detect.ts';
import type { ProviderSettings } from './providers/index.ts';
import type { KnownLocalServer } from './services.ts';

const probeMs = 1_000;
const detectedTimeouts = { timeoutMs: 120_000, totalTimeoutMs: 900_000 };

export type Adopt = (settings: ProviderSettings, place: number, prefer: RegExp | null) => Promise<void>;

/** Places keep the order of preference whatever answers first: services, then servers, then the file. */
const servicePlace = 0;
const serverPlace = 100;
const filePlace = 200;

/** Looks for providers and hands over what is found, each at its place. Resolves when all have been adopted. */
export async function detectProviders(
  config: Config,
  localServers: readonly KnownLocalServer[],
  log: Log,
  signal: AbortSignal,
  adopt: Adopt,
): Promise<void> {
  const take = async (finding: Finding | null, place: number): Promise<void> => {
    if (finding === null || signal.aborted) return;
    log.info(describeFinding(finding));
    await adopt(toFoundSettings(finding), place, finding.kind === 'service' ? finding.prefer : null);
  };
  const services = findServices(config.serviceVariables).map((finding, at) =>
    take(finding, servicePlace + at),
  );
  const outbound = openOutbound({ responseBytesMax: 4_194_304, connectionsMax: 1 });
  // Our own port would answer with our own models.
  const others = localServers.filter(({ port }) => port !== config.port);
  const servers = others.map(async (server, at) =>
    take(await findLocalServer(server, outbound, probeMs, signal), serverPlace + at),
  );
  const file = findFile(config.dataFolder).then((finding) => take(finding, filePlace));
  await Promise.all([...services, ...servers, file]);
  await outbound.close();
}

function toFoundSettings(finding: Finding): ProviderSettings {
  const { name } = finding;
  const common = { name, models: '*', ...detectedTimeouts, headers: {} } as const;
  switch (finding.kind) {
    case 'service':
      return { ...common, type: finding.type, baseUrl: finding.baseUrl, key: finding.key };
    case 'server':
      return { ...common, type: 'openai-compatible', baseUrl: finding.baseUrl, key: null };
    case 'file':
      return { type: 'local', name, path: finding.path, models: '*', contextTokensMax: null };
  }
}
