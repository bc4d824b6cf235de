import type { Config } from '../../../kernel/config.ts';
import type { Trial } from '../../../kernel/kit/trial.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import type { TriedEngine } from '../../search/feature.ts';
import type { TriedUpstream } from '../doctor-upstreams.ts';
import { hasFailed, hasWarning, isOk, type Finding } from './doctor-check.ts';

const timeoutMs = 5_000;

/** Every search engine and upstream of the configuration, asked once and all at the same time. */
export async function checkServers(
  config: Config,
  { doctor, clock, signal }: Pick<CommandContext, 'doctor' | 'clock' | 'signal'>,
): Promise<readonly Finding[]> {
  const tools = await doctor();
  const { engines, upstreams } = await tools.tryServers(config, { clock, signal, timeoutMs });
  return [
    ...engines.map((engine, at) => toEngine(engine, placesOf(`search.engines[${at}]`, engine.hasKey))),
    ...upstreams.map(toUpstream),
  ];
}

function toEngine(engine: TriedEngine, places: Places): Finding {
  const { type, trial, isPaid, refusesKey, isStrange } = engine;
  const name = `search ${type}`;
  // A service that looks at keys first has taken this one.
  if (isPaid && !refusesKey && (trial.status === 400 || trial.status === 422))
    return isOk(name, `takes the key, ${took(trial)} (asked with an empty search, which finds nothing)`);
  if (isStrange) return hasFailed(name, 'answers, but not as this engine does', `Check ${places.url}.`);
  if (trial.failure === null) return isOk(name, `answered a search, ${took(trial)}`);
  // A SearXNG without a key refuses what its settings do not allow.
  if (type === 'searxng' && trial.status === 403)
    return hasFailed(
      name,
      'refused: 403',
      'Let it answer in JSON: `formats: [html, json]` under `search` in its settings.yml.',
    );
  return toFailed(name, '', trial, refusesKey, places);
}

function toUpstream({ key: name, host, trial, hasKey }: TriedUpstream): Finding {
  if (trial.failure === null) return isOk(name, `${host} listed its models, ${took(trial)}`);
  // Servers of one model may have no list.
  if (trial.status === 404 || trial.status === 405)
    return isOk(name, `${host} answers, ${took(trial)}, and has no list of models`);
  return toFailed(name, `${host}: `, trial, isRefusal(trial), placesOf(name, hasKey));
}

/** A provider that gave no list; null where it gave one. */
export function toUnlisted(name: string, trial: Trial, places: Places): Finding | null {
  return trial.failure === null ? null : toFailed(name, '', trial, isRefusal(trial), places);
}

/** Where somebody changes what is wrong. */
export interface Places {
  readonly url: string;
  readonly key: string;
  readonly hasKey: boolean;
}

const placesOf = (place: string, hasKey: boolean): Places => ({
  url: `${place}.url`,
  key: `${place}.key`,
  hasKey,
});

export const took = ({ tookMs }: Trial): string => `${Math.max(1, Math.round(tookMs))} ms`;

const isRefusal = ({ status }: Trial): boolean => status === 401 || status === 403;

function toFailed(
  name: string,
  who: string,
  trial: Trial,
  refusesKey: boolean,
  { url, key, hasKey }: Places,
): Finding {
  const { failure, status, code, tookMs } = trial;
  if (refusesKey) {
    const advice = hasKey ? `Check ${key}: the server does not take it.` : `It wants a key: set ${key}.`;
    return hasFailed(name, `${who}refused: ${status}`, advice);
  }
  if (status === 429)
    return hasWarning(name, `${who}busy: 429`, 'Its limit is used up for now; see the account there.');
  const advice = `Check ${url}, that the server runs, and that a firewall lets this machine through.`;
  if (failure === 'timeout')
    return hasFailed(name, `${who}no answer within ${Math.max(1, Math.round(tookMs / 1_000))} s`, advice);
  if (status !== null && failure === 'status') return hasFailed(name, `${who}answered ${status}`, advice);
  if (status !== null) return hasFailed(name, `${who}answered what cannot be read`, advice);
  return hasFailed(name, `${who}cannot be reached${code === null ? '' : ` (${code})`}`, advice);
}
