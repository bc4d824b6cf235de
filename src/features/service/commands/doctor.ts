import { errorMessage } from '../../../kernel/kit/errors.ts';
import {
  ApiError,
  describeApiError,
  type PublishedApi,
  openClient,
  toServer,
  createPaint,
  toLine,
} from '../../client/feature.ts';
import { isJsonObject } from '../../../kernel/kit/json.ts';
import { at, textAt } from '../../../kernel/kit/json-path.ts';
import type { Config } from '../../../kernel/config.ts';
import { checkServers } from './doctor-asked.ts';
import { hasFailed, hasWarning, isOk, look, type Finding } from './doctor-check.ts';
import {
  checkDataFolder,
  checkDisk,
  checkExposure,
  checkNetwork,
  checkPorts,
  checkRuntime,
  checkSearch,
  localHosts,
  toUrl,
} from './doctor-machine.ts';
import { checkDecisions, checkModels, checkSandbox, checkStore } from './doctor-server.ts';
import { takeWords } from '../../../kernel/commands/command-line.ts';
import { configOption, defineCommand, type OwnLine } from '../../../kernel/commands/run-command.ts';
import { findServer } from '../../../kernel/commands/running-server.ts';
import { exitCodes } from '../../../kernel/commands/exit-codes.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const usage = `nestor doctor: what works on this machine, what does not, and what to do about it

  nestor doctor                           look at everything
  nestor doctor --json                    the same for a program
  nestor doctor --url https://nestor.example --key …   look at a server elsewhere too

It needs no server. It looks at the runtime, the configuration, the data folder and its disk, the store (a write is
tried and taken back), the ports, the decision engine (one question is asked), the sandbox, and at the server that runs
on this configuration, if one does. Nothing is changed.

Every server that the configuration names is asked once, all at the same time, and has five seconds: providers of
models and upstreams for their list of models, search engines that are free for the word "test", and those that cost
money for nothing at all, which they refuse after a look at the key. Sources of figures are only connected to.

  --json                print one JSON value in place of lines
  --config FILE         configuration to read in place of NESTOR_CONFIG
  --url URL             a server that has to be there, in place of NESTOR_URL
  --key KEY             your key on it, in place of NESTOR_KEY or NESTOR_ROOT_KEY

Exit codes: 0 nothing failed, 1 something failed, 2 wrong command, 130 interrupted.
See docs/guide/operations.md.`;

const options = { ...configOption, url: { type: 'string' }, key: { type: 'string' } } as const;
type Values = OwnLine<typeof options>['values'];

const answerMs = 5_000;

/** `nestor doctor`. Resolves to the exit code: 1 when something has failed. */
export const runDoctor = defineCommand({ name: 'doctor', usage, options }, async (line, context) => {
  const { values, words } = line;
  takeWords(words, []);
  const { out, isPlain } = context;
  const findings: Finding[] = [];
  const paint = createPaint(out, isPlain);
  const report = (found: readonly Finding[]): void => {
    findings.push(...found);
    // Each as soon as it is known: an engine that is loaded can take a minute.
    if (!values.json) for (const finding of found) out.write(`${describeFinding(finding, paint)}\n`);
  };
  await examine(values, context, report);
  const failed = findings.filter(({ status }) => status === 'fail').length;
  if (values.json) out.write(`${JSON.stringify({ ok: failed === 0, checks: findings }, null, 2)}\n`);
  else out.write(`\n${toSummary(findings)}\n`);
  if (context.signal.aborted) return exitCodes.interrupted;
  return failed === 0 ? exitCodes.done : exitCodes.failed;
});

type Report = (found: readonly Finding[]) => void;

async function examine(values: Values, context: CommandContext, report: Report): Promise<void> {
  report([checkRuntime(process.versions, `${process.platform} ${process.arch}`)]);
  const config = await loadConfig(values.config, context, report);
  const server = await lookAtServer(values, config, context);
  if (config !== null) {
    report([checkDataFolder(config)]);
    report(await look('disk', () => checkDisk(config)));
    report(await look('store', () => checkStore(config, context)));
    report(await look('port', () => checkPorts(config, server.isOurs)));
    report([checkExposure(config)]);
    report(await look('decisions', () => checkDecisions(config, context)));
    report(await look('models', () => checkModels(config, context)));
    report([checkSearch(config)]);
    report(await look('servers', () => checkServers(config, context)));
    report(await look('network', () => checkNetwork(config)));
    report(await look('sandbox', () => checkSandbox(config, context)));
  }
  report(server.findings);
}

async function loadConfig(
  file: string | undefined,
  context: CommandContext,
  report: Report,
): Promise<Config | null> {
  try {
    const config = await context.load(file);
    report([
      isOk('configuration', config.configFile ?? 'defaults and the environment'),
      ...config.warnings.map((warning) =>
        hasWarning('configuration', warning, 'See docs/guide/configuration.md.'),
      ),
    ]);
    return config;
  } catch (error) {
    report([hasFailed('configuration', errorMessage(error), 'See docs/guide/configuration.md.')]);
    return null;
  }
}

/** A server that runs, where there is one. One that was named has to be there. */
async function lookAtServer(values: Values, config: Config | null, context: CommandContext) {
  const isNamed = (values.url ?? (context.api.url || undefined)) !== undefined;
  const running = config === null ? null : findServer(config.dataFolder);
  if (!isNamed && running === null && config?.port === 0) {
    return { isOurs: false, findings: [isOk('server', 'none is known: it takes any free port')] };
  }
  const url = isNamed || config === null ? undefined : (running ?? toUrl(config));
  const server = toServer({ url: values.url ?? (isNamed ? undefined : url), key: values.key }, context);
  const client = openClient({ ...server, connectionsMax: 1 });
  try {
    const service = await client.call(toGet('/', context));
    if (textAt(service, 'name') !== 'nestor') throw new ApiError('What answers there is no Nestor.');
    const about = `Nestor ${textAt(service, 'version') ?? ''} at ${server.url()}`;
    const findings = [
      isOk('server', about),
      await checkReady(client, context),
      await checkKey(client, server.key, context),
    ];
    const isOurs = config !== null && [running, server.url()].some((at) => isAt(at, config));
    return { isOurs, findings };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const found = isNamed
      ? hasFailed('server', describeApiError(error), 'Check NESTOR_URL or --url.')
      : isOk('server', 'none is running; `nestor serve` starts it');
    return { isOurs: false, findings: [found] };
  } finally {
    await client.close();
  }
}

/** Whether an address is the one at which a server with this configuration listens. */
function isAt(address: string | null, { host, port }: Config): boolean {
  const url = URL.parse(address ?? '');
  if (url === null) return false;
  const hostname = url.hostname.replaceAll(/^\[|\]$/g, '');
  const isHere = hostname === host || localHosts.test(hostname);
  return isHere && (Number(url.port) || (url.protocol === 'https:' ? 443 : 80)) === port;
}

function toGet(path: string, { signal }: CommandContext) {
  return { method: 'GET', path, timeoutMs: answerMs, signal } as const;
}

async function checkReady(client: PublishedApi, context: CommandContext): Promise<Finding> {
  try {
    const checks = at(await client.call(toGet('/readyz', context)), 'checks');
    const states = Object.keys(isJsonObject(checks) ? checks : {}).map(
      (name) => `${name} ${(textAt(checks, name) ?? '').replace('_', ' ')}`,
    );
    return isOk('readiness', states.join(', '));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const advice = 'Its log and GET /readyz say which part is down.';
    return hasFailed('readiness', 'the server is not ready', advice);
  }
}

async function checkKey(client: PublishedApi, key: string | null, context: CommandContext): Promise<Finding> {
  const advice = 'Set NESTOR_KEY to a key of this server; `nestor keys create ACCOUNT` makes one.';
  if (key === null) return hasWarning('key', 'none is set, so commands cannot call this server', advice);
  try {
    await client.call(toGet('/v1/skills?limit=1', context));
    return isOk('key', 'this server takes it');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) return hasFailed('key', 'this server does not take it', advice);
    if (error.status === 403) return isOk('key', 'this server takes it');
    return hasWarning('key', describeApiError(error), advice);
  }
}

function describeFinding(
  { name, status, message, advice }: Finding,
  paint: ReturnType<typeof createPaint>,
): string {
  const mark = { ok: paint.good('✓ ok  '), warn: paint.warn('! warn'), fail: paint.bad('✗ fail') }[status];
  const line = `${mark}  ${paint.bold(name)}: ${toLine(message)}`;
  return advice === null ? line : `${line}\n        ${advice}`;
}

function toSummary(findings: readonly Finding[]): string {
  const count = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length;
  const [warned, failed] = [count('warn'), count('fail')];
  if (failed > 0) return `${failed} of ${findings.length} checks failed.`;
  return warned > 0 ? `Nothing failed; ${warned} to look at.` : 'Everything is in order.';
}
