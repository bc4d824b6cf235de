import { withoutEndSlashes } from '../../kernel/kit/text.ts';
import type { Config } from '../../kernel/config.ts';
import { isJsonObject } from '../../kernel/kit/json.ts';
import type { Log } from '../../kernel/kit/log.ts';
import { openOutbound, type Outbound } from '../../kernel/kit/outbound.ts';
import type { ProviderSettings } from './define-provider.ts';
import { findChatFile } from './providers/local/chat-file.ts';
import { knownServices, type KnownLocalServer, type KnownService } from './services.ts';

/** Something that answers or could, without having been configured. */
export type Finding =
  | {
      readonly kind: 'service';
      readonly name: string;
      readonly type: KnownService['type'];
      readonly baseUrl: string;
      readonly key: string;
      readonly prefer: RegExp;
      /** Variable in which the key was found. */
      readonly from: string;
    }
  | { readonly kind: 'server'; readonly name: string; readonly baseUrl: string }
  | { readonly kind: 'file'; readonly name: string; readonly path: string };

/** Services whose key stands in the environment. Sends no request. */
export function findServices(variables: Readonly<Record<string, string>>): readonly Finding[] {
  return knownServices.flatMap(({ name, type, variables: names, baseUrl, address, prefer }): Finding[] => {
    const from = names.find((variable) => isKey(variables[variable]));
    const key = from === undefined ? undefined : variables[from];
    if (from === undefined || key === undefined) return [];
    const other = address === null ? undefined : variables[address.variable];
    const isOther = other !== undefined && URL.canParse(other);
    const base = isOther ? `${withoutEndSlashes(other)}${address?.suffix ?? ''}` : baseUrl;
    return [{ kind: 'service', name, type, baseUrl: base, key, prefer, from }];
  });
}

/** It has to fit in a header. */
const isKey = (value: string | undefined): boolean => value !== undefined && /^[!-~]+$/.test(value);

/** The server of a port, if what answers there lists models. Never rejects. */
export async function findLocalServer(
  { name, port }: KnownLocalServer,
  outbound: Outbound,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Finding | null> {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  try {
    const outcome = await outbound.call({ method: 'GET', url: `${baseUrl}/models`, timeoutMs, signal });
    if (!outcome.ok || !isJsonObject(outcome.body)) return null;
    // Other servers use these ports too; only a model server has a list of models.
    const { data } = outcome.body;
    return Array.isArray(data) ? { kind: 'server', name, baseUrl } : null;
  } catch {
    return null;
  }
}

/** The first chat model by name in the data folder, else in its sub-folder `models`. */
export async function findFile(dataFolder: string): Promise<Finding | null> {
  const path = await findChatFile(dataFolder);
  return path === null ? null : { kind: 'file', name: 'local', path };
}

/** Describes a finding in one line for the log, with how to turn it off. */
export function describeFinding(finding: Finding): string {
  const off = 'to turn this off, set `detect: false` or name your own `providers` in the configuration';
  switch (finding.kind) {
    case 'service':
      return `models: found a key in ${finding.from}: its models are ${finding.name}/…; ${off}, or unset the variable`;
    case 'server':
      return `models: found a server at ${finding.baseUrl}: its models are ${finding.name}/…; ${off}`;
    case 'file':
      return `models: found the file ${finding.path}: it is offered as ${finding.name}/…; ${off}`;
  }
}

/** Longest wait for a server of models where somebody waits for it. */
const probeMs = 1_000;
/** The same beside a start, for which nobody waits: on a busy machine a server that is there answers late. */
const probeBesideMs = 10_000;

/** Everything that could answer without having been configured, in the order of preference. Adopts nothing. */
export async function findModels(
  { port, serviceVariables, dataFolder }: Pick<Config, 'port' | 'serviceVariables' | 'dataFolder'>,
  localServers: readonly KnownLocalServer[],
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const outbound = openOutbound({ responseBytesMax: 4_194_304, connectionsMax: 1 });
  const others = localServers.filter((server) => server.port !== port);
  const servers = others.map((server) => findLocalServer(server, outbound, probeMs, signal));
  const found = await Promise.all([...servers, findFile(dataFolder)]);
  await outbound.close();
  return [...findServices(serviceVariables), ...found.filter((finding) => finding !== null)];
}

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
    take(await findLocalServer(server, outbound, probeBesideMs, signal), serverPlace + at),
  );
  const file = findFile(config.dataFolder).then((finding) => take(finding, filePlace));
  await Promise.all([...services, ...servers, file]);
  await outbound.close();
}

function toFoundSettings(finding: Finding): ProviderSettings {
  const common = { name: finding.name, models: '*' } as const;
  if (finding.kind === 'file') return { ...common, type: 'local', path: finding.path };
  const { type, key = null } = finding.kind === 'service' ? finding : { type: 'openai-compatible' };
  return { ...common, type, baseUrl: finding.baseUrl, key, headers: {}, timeoutS: 120, totalTimeoutS: 900 };
}
