import { Type } from 'typebox';
import {
  accountOf,
  bytes,
  defineOperation,
  noContent,
  ok,
  perMinute,
  type Operation,
} from '../../../../kernel/http/operation.ts';
import { Fault, invalidValue } from '../../../../kernel/faults.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { isDeciderName } from '../../deciders/definition.ts';
import { toCoverageSvg } from '../../guarantee/coverage-svg.ts';
import { kindsWithCurve, toDiagram } from '../../guarantee/kept-curve.ts';
import { isOperatorName } from '../deciders.ts';
import { fromDrift, fromOperators, fromRecord, toDefinition } from './convert.ts';
import { CoverageQuery, DeciderBody, DeciderList, Definition, InDecider } from './schema.ts';

/** What operations on deciders share. */
export const onDeciders = {
  group: 'decisions',
  surface: 'decisions',
  credentials: 'bearer',
  buckets: [perMinute('deciders', 120)],
} as const;

const listPath = '/v1/deciders';
export const deciderPath = '/v1/deciders/{decider}';
/** Guarantees may have a threshold for each of thousands of questions. */
const bytesMax = 4_194_304;

/** Deciders that an account defines for itself; those of the operator are shown and left as they are. */
export function deciderOperations(settings: Settings): readonly Operation<Services>[] {
  const { shipped } = settings.decisions;
  return [
    listDeciders,
    getDecider,
    getCoverage,
    defineOperation({
      ...onDeciders,
      id: 'putDecider',
      summary: 'Makes a decider, or replaces it whole',
      method: 'PUT',
      paths: [deciderPath],
      params: InDecider,
      body: { schema: Definition(shipped), bytesMax },
      responses: { 200: DeciderBody },
      async handle({ body, params, principal }, { deciders, storageQuota }: Services) {
        const accountId = accountOf(principal);
        const name = toOwnName(params.decider, settings);
        const definition = toDefinition(body);
        await storageQuota.admit(accountId, JSON.stringify(definition).length);
        return ok(fromRecord(await deciders.stored.put(accountId, name, definition)));
      },
    }),
    defineOperation({
      ...onDeciders,
      id: 'deleteDecider',
      summary: 'Deletes a decider of your own',
      method: 'DELETE',
      paths: [deciderPath],
      params: InDecider,
      responses: { 204: Type.Undefined() },
      async handle({ params, principal }, { deciders }: Services) {
        await deciders.stored.remove(accountOf(principal), params.decider);
        return noContent();
      },
    }),
  ];
}

const listDeciders = defineOperation({
  ...onDeciders,
  id: 'listDeciders',
  summary: 'Lists the deciders that your requests may name, those of the operator first',
  method: 'GET',
  paths: [listPath],
  responses: { 200: DeciderList },
  async handle({ principal }, { deciders }: Services) {
    const operators = [...deciders.definitions].map(([name, one]) =>
      fromOperators(name, one, deciders.masses.figures(name)),
    );
    const own = await deciders.stored.list(accountOf(principal));
    return ok({ deciders: [...operators, ...own.map(fromRecord)] });
  },
});

const getDecider = defineOperation({
  ...onDeciders,
  id: 'getDecider',
  summary: 'One decider',
  method: 'GET',
  paths: [deciderPath],
  params: InDecider,
  responses: { 200: DeciderBody },
  async handle({ params: { decider: name }, principal }, { deciders }: Services) {
    const operators = deciders.definitions.get(name);
    if (operators !== undefined) return ok(fromOperators(name, operators, deciders.masses.figures(name)));
    const record = await deciders.stored.get(accountOf(principal), name);
    if (record.fitId === null) return ok(fromRecord(record));
    const known = await deciders.drift.figures({ accountId: accountOf(principal), decider: name });
    return ok({ ...fromRecord(record), drift: fromDrift(known) });
  },
});

const getCoverage = defineOperation({
  ...onDeciders,
  id: 'getDeciderCoverage',
  summary: 'Draws coverage against error as a guarantee of a decider was fitted',
  method: 'GET',
  paths: [`${deciderPath}/coverage`],
  params: InDecider,
  query: CoverageQuery,
  responses: { 200: Type.Unsafe({ type: 'string', contentMediaType: 'image/svg+xml' }) },
  async handle({ params: { decider: name }, query, principal }, { deciders }: Services) {
    const { guarantee: place = 0 } = query;
    const definition =
      deciders.definitions.get(name) ?? (await deciders.stored.get(accountOf(principal), name)).definition;
    const guarantee = definition.guarantees[place];
    if (guarantee === undefined) throw new Fault('not_found', `the decider has no guarantee ${place}`);
    const kind = query.kind ?? kindsWithCurve(guarantee)[0];
    const subject = `${name}, fitted on answers of ${guarantee.engine}`;
    const diagram = kind === undefined ? null : toDiagram(guarantee, kind, subject);
    if (diagram === null)
      throw new Fault('not_found', `guarantee ${place} keeps no such curve; fit it with "nestor guarantee"`);
    return bytes(Buffer.from(toCoverageSvg(diagram)), 'image/svg+xml', {
      'x-content-type-options': 'nosniff',
    });
  },
});

/** Throws Fault `invalid_value` for a name that no account can have. */
export function toOwnName(name: string, settings: Settings): string {
  if (!isDeciderName(name))
    throw invalidValue(
      'A name is 1 to 32 characters of a-z, 0-9 and "-", the first a letter, and does not end in -latest',
      'decider',
    );
  if (isOperatorName(settings, name)) throw invalidValue(`"${name}" is a decider of the operator`, 'decider');
  return name;
}
