import { errorMessage } from '../../../kernel/kit/errors.ts';
import type { Config } from '../../../kernel/config.ts';
import type { Trial } from '../../../kernel/kit/trial.ts';
import { decide, normalizeQuestion } from '../../decisions/feature.ts';
import { embeddedName, knownServices } from '../../models/feature.ts';
import { sandboxRunners } from '../../sandbox/feature.ts';
import { toUnlisted, took, type Places } from './doctor-asked.ts';
import { hasFailed, hasWarning, isOk, type Finding } from './doctor-check.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const decisionMs = 120_000;

export async function checkStore(
  config: Config,
  { doctor }: Pick<CommandContext, 'doctor'>,
): Promise<Finding | readonly Finding[]> {
  const {
    state,
    store,
    writeMs,
    reason,
    indexed = [],
    pgvector,
  } = await (await doctor()).lookAtStore(config);
  switch (state) {
    case 'ok':
      return [
        isOk('store', `${store}, a write takes ${Math.max(1, Math.round(writeMs ?? 0))} ms`),
        ...checkIndex(indexed),
        ...(pgvector === undefined ? [] : [checkVectors(pgvector)]),
      ];
    case 'absent':
      return isOk('store', `${store}, made at the first start`);
    case 'old': {
      const advice = 'The next start brings it up to date; so does `nestor migrate`.';
      return hasWarning('store', `${store}, of an earlier version`, advice);
    }
    case 'broken': {
      const advice =
        store === 'sqlite'
          ? 'Check NESTOR_DATABASE_URL and the rights of the file; restore it from a backup if it is damaged.'
          : 'Check NESTOR_DATABASE_URL: host, port, name, user and password.';
      return hasFailed('store', reason ?? 'it cannot be opened', advice);
    }
  }
}

/** The index works without, so it is no warning. */
function checkVectors(version: string | null): Finding {
  if (version === null)
    return isOk('pgvector', 'not on this PostgreSQL: the index finds by words, and ranks by meaning');
  return isOk(
    'pgvector',
    version === '' ? 'a server that starts uses it' : `${version}, finds by meaning as well`,
  );
}

/** Vectors of several engines: a change of the engine is under way, or no server runs that would finish it. */
function checkIndex(
  indexed: readonly { readonly embeddedBy: string | null; readonly documents: number }[],
): readonly Finding[] {
  if (indexed.length === 0) return [];
  const parts = indexed.map(
    ({ embeddedBy, documents }) =>
      `${documents} with ${embeddedBy === null ? 'none' : `those of ${embeddedBy}`}`,
  );
  const documents = indexed.reduce((sum, one) => sum + one.documents, 0);
  const told = `${documents} documents by their vectors: ${parts.join(', ')}`;
  if (indexed.length === 1 && indexed[0]?.embeddedBy !== null) return [isOk('index', told)];
  const advice =
    'A server that runs gives all of them those of its engine; `nestor index ls` tells how far it is.';
  return [hasWarning('index', told, advice)];
}

/** Asks the engine one question, as a request would. */
export async function checkDecisions(
  config: Config,
  { open, clock, signal }: Pick<CommandContext, 'open' | 'clock' | 'signal'>,
): Promise<Finding> {
  const advice = 'See docs/guide/engines.md; NESTOR_DECISIONS_ENGINE=words always works.';
  const asked = { config, engine: null, remote: null, onLabelMass: () => {} };
  const engine = await open(asked).catch((error: unknown) =>
    hasFailed('decisions', errorMessage(error), advice),
  );
  if ('status' in engine) return engine;
  try {
    const instructions = 'Is the customer asking for a refund?';
    const questions = [normalizeQuestion({ type: 'noul', instructions }, 'questions.refund')];
    const state = { entry: 'I want my money back', text: 'I want my money back', images: [] };
    const limits = { inputTokensMax: config.decisions.maxInputTokens };
    const within = AbortSignal.any([signal, AbortSignal.timeout(decisionMs)]);
    const startedMs = clock.monotonic();
    await decide(engine, limits, state, questions, within);
    const took = `${engine.name}, one question takes ${Math.max(1, Math.round(clock.monotonic() - startedMs))} ms`;
    if (engine.name === 'words')
      return isOk('decisions', `${took}; it needs no model and is honest but simple`);
    if (engine.name === 'encoder')
      return isOk('decisions', `${took}; it compares what texts mean and does not reason`);
    return isOk('decisions', took);
  } catch (error) {
    return hasFailed('decisions', `${engine.name} does not answer (${errorMessage(error)})`, advice);
  } finally {
    await engine.close();
  }
}

/** Every configured provider, or those that were found. */
export async function checkModels(
  config: Config,
  { openModels }: Pick<CommandContext, 'openModels'>,
): Promise<readonly Finding[]> {
  const models = await openModels(config);
  try {
    await models.settled;
    const counts = new Map<string, { all: number; up: number }>();
    for (const { name } of config.providers) counts.set(name, { all: 0, up: 0 });
    for (const { id } of models.list()) {
      const [provider = ''] = id.split('/');
      if (provider === config.family || provider === embeddedName) continue;
      const count = counts.get(provider) ?? { all: 0, up: 0 };
      const isUp = models.backendsOf(id).some(({ health }) => health === 'ok');
      counts.set(provider, { all: count.all + 1, up: count.up + (isUp ? 1 : 0) });
    }
    const trials = new Map(models.lists().map(({ provider, trial }) => [provider, trial]));
    const unoffered = models
      .unoffered()
      .map((line) => hasWarning('models', line, '`nestor models` lists what is offered.'));
    if (counts.size > 0)
      return [
        ...[...counts].map(([name, { all, up }]) =>
          toProvider(name, all, up, trials.get(name) ?? null, placesOf(config, name)),
        ),
        ...unoffered,
      ];
    const advice =
      'Start Ollama, set OPENAI_API_KEY or another key, or `nestor models pull` a file; see docs/guide/models.md.';
    const none = 'no model: answers are put together from sentences of the sources';
    return [hasWarning('models', none, advice), ...unoffered];
  } finally {
    await models.close();
  }
}

/** A provider of the configuration, or one that was found by a variable. */
function placesOf({ providers }: Config, name: string): Places {
  const at = providers.findIndex((provider) => provider.name === name);
  if (at !== -1) {
    const hasKey = (providers[at]?.key ?? null) !== null;
    return { url: `providers[${at}].base_url`, key: `providers[${at}].key`, hasKey };
  }
  const service = knownServices.find((known) => known.name === name);
  return {
    url: service?.address?.variable ?? 'its address',
    key: service?.variables.join(' or ') ?? 'its key',
    hasKey: service !== undefined,
  };
}

function toProvider(name: string, all: number, up: number, trial: Trial | null, places: Places): Finding {
  const subject = `models of ${name}`;
  if (up > 0) {
    const count = all === 1 ? '1 model' : `${all} models`;
    // A list of the configuration stands without the server's.
    return isOk(subject, trial?.failure === null ? `${count}, listed in ${took(trial)}` : count);
  }
  const unlisted = trial === null ? null : toUnlisted(subject, trial, places);
  if (unlisted !== null) return unlisted;
  const problem = all === 0 ? 'it does not answer, or offers nothing' : `it does not answer (${all} models)`;
  return hasFailed(subject, problem, 'Check its address and key, then `nestor models test`.');
}

export async function checkSandbox(
  config: Config,
  { doctor }: Pick<CommandContext, 'doctor'>,
): Promise<Finding> {
  if (config.sandbox.runner === 'off') return isOk('sandbox', 'switched off: the agent runs no code');
  const { runner, unfit } = await (await doctor()).lookAtSandbox(config);
  const reasons = unfit.map(({ runner: name, reason }) => `${name}: ${reason}`).join('; ');
  if (runner === null) {
    const install = sandboxRunners.map(({ needs }) => needs).join(', or ');
    const advice = `The agent answers without code. Install ${install}.`;
    return hasWarning('sandbox', reasons === '' ? 'none works' : reasons, advice);
  }
  return isOk('sandbox', reasons === '' ? runner : `${runner} (${reasons})`);
}
