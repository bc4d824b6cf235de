import { Type } from 'typebox';
import { ask, maxErrorHeader, type NamedDecision, type Verdict } from '../deciders/ask.ts';
import { toLedger } from '../deciders/figures.ts';
import { plainDecider, type Decider } from '../deciders/decider.ts';
import { readState } from '../images.ts';
import type { Entry, NormalizedQuestion } from '../engine.ts';
import { isDeciderName } from '../deciders/definition.ts';
import type { Billing, Call, Principal, Reply } from '../../../kernel/http/operation.ts';
import { accountOf, ok, perSecond } from '../../../kernel/http/operation.ts';
import { invalidValue } from '../../../kernel/faults.ts';
import { toIgnoredHeader } from '../../../kernel/http/headers.ts';
import { described } from '../../../kernel/kit/schema.ts';
import { refusedModel } from '../../../kernel/http/model-name.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';

/** A body of exactly this many bytes is refused. */
export const decisionBytesMax = 33_554_432;

/** What every operation that decides declares. They take from one bucket, in requests per second by tier. */
export const decisionCommon = (settings: Settings) =>
  ({
    group: 'decisions',
    method: 'POST',
    credentials: 'bearer',
    isBilled: true,
    buckets: [perSecond('decisions', [10, 20, 50, 100, 200, 200])],
    timeoutMs: settings.decisions.timeoutMs,
  }) as const;

/** Name that System One clients send when they want whatever is newest. */
const latest = 'jev-latest';
const upstreamDecider = 'pplx-decider-v1-27b';

export type DeciderSurface = 'decisions' | 'systemone';

/** Unit: USD per million input tokens; output is free. */
export const decisionPriceUsdPerMillion = 0.04;

/** Stands in a body for the name of a decider that the caller's account defined. */
class StoredDecider {
  readonly decider: Decider;

  constructor(decider: Decider) {
    this.decider = decider;
  }
}

/** The name as it was sent. */
export const nameOf = (model: string | StoredDecider): string =>
  typeof model === 'string' ? model : model.decider.name;

/** What the names in a body stand for that the operator does not know: deciders of the caller's account. */
export function resolverOf(settings: Settings, surface: DeciderSurface) {
  const accepted = acceptedNames(settings, surface);
  return (
    body: Record<string, unknown>,
    principal: Principal | null,
    { deciders }: Services,
  ): Promise<void> | undefined => {
    const { model } = body;
    if (typeof model !== 'string' || accepted.has(model) || !isDeciderName(model)) return undefined;
    return resolveName(body, deciders.stored.find(accountOf(principal), model));
  };
}

async function resolveName(body: Record<string, unknown>, finding: Promise<Decider | null>): Promise<void> {
  const decider = await finding;
  if (decider !== null) body['model'] = new StoredDecider(decider);
}

/** Fields of each question that its type does not know, under the path of the question. */
export function ignoredIn(
  questions: Readonly<Record<string, object>> | readonly object[],
  known: ReadonlySet<string>,
): readonly string[] {
  return Object.entries(questions).flatMap(([name, question]) =>
    Object.keys(question)
      .filter((field) => !known.has(field))
      .map((field) => `questions.${name}.${field}`),
  );
}

interface Asked<Body> {
  /** Fields of questions that are not looked at, as dotted paths. */
  readonly ignored: readonly string[];
  /** Names of the questions in such paths. */
  readonly names: readonly string[];
  readonly questions: readonly NormalizedQuestion[];
  readonly entry: Entry;
  /** Names the state in errors. */
  readonly param: string;
  readonly toBody: (decision: NamedDecision) => Body;
}

/** Asks the decider that a request names. Throws Fault. */
export async function answer<Body extends object>(
  { body, headers: sent, principal, signal }: Call<{ readonly model: string | StoredDecider }>,
  services: Services,
  settings: Settings,
  { ignored, names, questions, entry, param, toBody }: Asked<Body>,
): Promise<Reply> {
  const decider =
    body.model instanceof StoredDecider ? body.model.decider : toDecider(services, settings, body.model);
  const maxError = readMaxError(sent[maxErrorHeader]);
  const state = await readState(entry, param, signal);
  const leave = services.decisionTraffic.enter();
  const decision = await ask(decider, settings.decisions, state, questions, signal, {
    param,
    account: accountOf(principal),
    maxError,
  }).finally(leave);
  services.deciders.count(decision);
  const { windows, ruled } = decision;
  const unread = decision.unread.map((index) => `questions.${names[index]}.examples`);
  const headers = {
    'x-nestor-engine': decision.engine,
    ...toIgnoredHeader([...ignored, ...unread]),
    ...(windows !== undefined && { 'x-nestor-state-windows': `${windows.read} of ${windows.total}` }),
    ...(ruled !== undefined && { 'x-nestor-rules': `${ruled} of ${questions.length}` }),
  };
  return ok(toBody(decision), headers, decisionBilling(settings, decider, decision));
}

function readMaxError(header: string | string[] | undefined): number | null {
  if (header === undefined) return null;
  const share = Number(header);
  if (typeof header === 'string' && header.trim() !== '' && share > 0 && share < 1) return share;
  throw invalidValue(`${maxErrorHeader} must be a number between 0 and 1`, maxErrorHeader);
}

/** The operator's decider of this name. */
export function toDecider(
  {
    decisions: engine,
    comparedDecisions,
    deciders,
  }: Pick<Services, 'decisions' | 'comparedDecisions' | 'deciders'>,
  { decisions, aliases }: Settings,
  name: string,
): Decider {
  const model = (Object.hasOwn(aliases.models, name) ? aliases.models[name] : undefined) ?? name;
  const compared = comparedDecisions.get(model);
  if (compared !== undefined) return plainDecider(model, compared);
  return deciders.get(model) ?? plainDecider(decisions.served[0] ?? model, engine);
}

export function decisionBilling(
  { decisions }: Settings,
  { name }: Decider,
  decision: NamedDecision,
): Billing {
  const { distributions, inputTokens } = decision;
  const price = decisions.priceUsdPerMillion;
  return {
    model: name,
    inputTokens,
    outputTokens: distributions.length,
    ...(toLedger(decision, price) ?? { costParts: { input: (inputTokens * price) / 1e6 } }),
  };
}

/** Those of the first decider, then one for each of the others. */
function canonicalNames({ served, compared }: Settings['decisions']): readonly string[] {
  return [...served, ...compared];
}

/** Whether a name is the operator's, on any surface. */
export function isOperatorName(settings: Settings, name: string): boolean {
  return (['decisions', 'systemone'] as const).some((surface) => acceptedNames(settings, surface).has(name));
}

/** Every name under which a decider may be asked for. Names are compared exactly. */
export function acceptedNames({ decisions, aliases }: Settings, surface: DeciderSurface): Set<string> {
  const own = canonicalNames(decisions);
  const accepted = new Set(own);
  if (aliases.upstream) accepted.add(upstreamDecider);
  for (const [alias, canonical] of Object.entries(aliases.models)) {
    if (own.includes(canonical)) accepted.add(alias);
  }
  if (aliases.upstream && surface === 'systemone') accepted.add(latest);
  // No other name that ends so resolves where the interface is versioned by name.
  if (surface === 'decisions') {
    for (const name of accepted) if (name.endsWith('-latest')) accepted.delete(name);
  }
  return accepted;
}

/** Name of a served decider. The error for another lists the permitted names. */
export function DeciderName(settings: Settings, surface: DeciderSurface) {
  const accepted = acceptedNames(settings, surface);
  const permitted = canonicalNames(settings.decisions).join(', ');
  const name = Type.Unsafe<string | StoredDecider>({
    description: `One of: ${[...accepted].join(', ')}`,
    errorCode: 'invalid_model',
  });
  return Type.Refine(
    name,
    (model) => model instanceof StoredDecider || (typeof model === 'string' && accepted.has(model)),
    (model) => refusedModel(model, permitted),
  );
}

/** Deciders as the System One client lists them. */
export function systemOneModels({ decisions, aliases }: Settings) {
  return [...decisions.served, ...(aliases.upstream ? [latest] : []), ...decisions.compared].map((name) => ({
    name,
    description:
      name === latest ? `Alias of ${decisions.served[0]}` : 'Answers typed questions with probabilities',
    release_date: '2026-11-20',
  }));
}

/** What answers carry of a decider with a policy, and of no other. */
export const verdictFields = described(
  { abstained: Type.Optional(Type.Boolean()), decided_by: Type.Optional(Type.String()) },
  {
    abstained: 'Only of a decider with a policy: whether this is no more than its best guess.',
    decided_by: 'Only of a decider with a policy: the decider whose answer it is.',
  },
);

export function fromVerdict(verdict: Verdict | undefined) {
  return verdict === undefined ? {} : { abstained: verdict.isAbstained, decided_by: verdict.decidedBy };
}
