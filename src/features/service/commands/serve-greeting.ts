import type { Config } from '../../../kernel/config.ts';
import { embeddedName } from '../../models/feature.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

/** A server of this process that listens. */
export interface RunningServer {
  /** The address that callers use, for example `http://127.0.0.1:8787`. */
  readonly url: string;
  /** Where metrics are served; null where they are not. */
  readonly metricsUrl: string | null;
  /** The root key that this start made; null when there was one. Shown once. */
  readonly newRootKey: string | null;
  /** What answers decisions. */
  readonly engineName: string;
  /** Names of all models that could be asked when it began. */
  readonly models: readonly string[];
  /** The runner that was found by then; null while one is looked for, and where none works. */
  readonly sandboxRunner: string | null;
  /** Gives running requests the grace time, then ends them. `signal` is the name of what asked for it. */
  close(signal: unknown): Promise<void>;
}

/** The facts that `nestor serve` prints when it has begun. */
interface GreetingFacts {
  readonly server: RunningServer;
  readonly config: Config;
  readonly version: string;
  readonly hasRootKeyVariable: boolean;
  /** Models by provider. */
  readonly models: ReadonlyMap<string, number>;
  /** The same for a program. */
  readonly wire: object;
}

/** Collects the facts of the greeting. */
export function toGreetingFacts(
  server: RunningServer,
  config: Config,
  { version, hasRootKeyVariable }: Pick<CommandContext, 'version' | 'hasRootKeyVariable'>,
): GreetingFacts {
  const models = countModels(server, config);
  const wire = {
    url: server.url,
    console: `${server.url}/console`,
    metrics: server.metricsUrl,
    version,
    root_key: server.newRootKey,
    decisions: { engine: server.engineName },
    chat: { models: Object.fromEntries(models) },
    search: { engines: ['corpus', ...namesOfEngines(config)] },
    sandbox: { runner: config.sandbox.runner },
  };
  return { server, config, version, hasRootKeyVariable, models, wire };
}

/** Models of providers, without the names of the service and the one that ships. */
function countModels({ models }: RunningServer, { family }: Config): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of models) {
    const [provider = ''] = id.split('/');
    if (provider === family || provider === embeddedName) continue;
    counts.set(provider, (counts.get(provider) ?? 0) + 1);
  }
  return counts;
}

/** What engines are that nobody has configured. */
const aboutEngine: Readonly<Record<string, string>> = {
  encoder: ', which ships with Nestor and compares what texts mean',
  words: ', which needs no model and is honest but simple',
};

/** The greeting for a person. The first line and the last are also read by programs. */
export function toGreeting({ server, config, version, hasRootKeyVariable, models }: GreetingFacts): string {
  const { url, metricsUrl, newRootKey, engineName } = server;
  const request = {
    model: config.decisions.served[0] ?? '',
    state: 'I want my money back',
    questions: { refund: { type: 'noul', instructions: 'Is the customer asking for a refund?' } },
  };
  return [
    `Nestor ${version} serves at ${url}`,
    `Console: ${url}/console`,
    ...(metricsUrl === null ? [] : [`Metrics: ${metricsUrl}`]),
    `Decisions: the engine "${engineName}"${aboutEngine[engineName] ?? ''}`,
    `Chat: ${toChatWords(models)}`,
    `Search: ${toSearchWords(namesOfEngines(config))}`,
    `Sandbox: ${toSandboxWords(config.sandbox.runner, server.sandboxRunner)}`,
    `Root key: ${toRootKeyWords(newRootKey, hasRootKeyVariable, config.dataFolder)}`,
    'Is everything all right? nestor doctor (in a clone: npm run nestor -- doctor)',
    'Try:',
    `curl -s ${url}/v1/decisions -H "Authorization: Bearer ${newRootKey ?? '$NESTOR_ROOT_KEY'}" -d '${JSON.stringify(request)}'`,
  ].join('\n');
}

function toRootKeyWords(newRootKey: string | null, hasVariable: boolean, dataFolder: string): string {
  if (newRootKey !== null) return `${newRootKey}  (shown only now; only its hash is stored in ${dataFolder})`;
  // The line to try names the variable of the guide, which the shell of the person may have and the server not.
  return hasVariable
    ? 'the one you know, in NESTOR_ROOT_KEY'
    : 'the one you know; the line below takes it from NESTOR_ROOT_KEY';
}

function toChatWords(models: GreetingFacts['models']): string {
  if (models.size === 0)
    return 'no model found, so answers are put together from sentences of the sources (docs/guide/models.md)';
  const counted = [...models].map(([provider, count]) => `${count} of ${provider}`);
  return `models of providers: ${counted.join(', ')}`;
}

function namesOfEngines({ search }: Config): readonly string[] {
  return search.engines.map(({ type }) => type);
}

function toSearchWords(engines: readonly string[]): string {
  if (engines.length === 0) return 'the own index; no engine for the web is set (docs/guide/search.md)';
  return `the own index, ${engines.join(', ')}`;
}

function toSandboxWords(wanted: Config['sandbox']['runner'], found: string | null): string {
  if (wanted === 'off') return 'switched off, so the agent runs no code';
  if (found !== null) return `${found} runs code of the agent`;
  return 'being looked for; the log tells what runs code of the agent';
}
