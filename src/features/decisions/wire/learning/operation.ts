import { Type } from 'typebox';
import {
  accountOf,
  created,
  defineOperation,
  noContent,
  ok,
  type Operation,
  type Principal,
} from '../../../../kernel/http/operation.ts';
import { PageQuery, readPageQuery, toNextPage } from '../../../../kernel/http/page-query.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import type { FitRow } from '../../store/fits.ts';
import { fromRecord } from '../named/convert.ts';
import { deciderPath, onDeciders, toOwnName } from '../named/operation.ts';
import { DeciderBody, InDecider } from '../named/schema.ts';
import { fromExample, fromFit } from './convert.ts';
import {
  AddedExamples,
  ExampleList,
  FitBody,
  FitList,
  FitRequest,
  InExample,
  InFit,
  NewExamples,
} from './schema.ts';

const examplesPath = `${deciderPath}/examples`;
const fitsPath = `${deciderPath}/fits`;
/** A thousand examples that each carry a question of a hundred options. */
const bytesMax = 16_777_216;
/** A caller that waits longer asks again. Unit: ms. */
const waitMs = 300_000;
/** As that of `nestor guarantee`. */
const boundConfidence = 0.95;

/** What deciders of an account learn from, and their fits. */
export function learningOperations(settings: Settings): readonly Operation<Services>[] {
  const ofOwn = (principal: Principal | null, name: string) => ({
    accountId: accountOf(principal),
    decider: toOwnName(name, settings),
  });
  return [
    defineOperation({
      ...onDeciders,
      id: 'addExamples',
      summary: 'Adds examples that a decider of your own can learn from',
      method: 'POST',
      paths: [examplesPath],
      params: InDecider,
      body: { schema: NewExamples, bytesMax },
      responses: { 201: AddedExamples },
      async handle({ body, params, principal, signal }, { deciders, storageQuota }: Services) {
        const { accountId, decider } = ofOwn(principal, params.decider);
        const admit = (bytes: number) => storageQuota.admit(accountId, bytes);
        return created(await deciders.examples.add(accountId, decider, body.examples, { admit, signal }));
      },
    }),
    listExamples,
    deleteExamples,
    deleteExample,
    defineOperation({
      ...onDeciders,
      id: 'fitDecider',
      summary: 'Begins to learn from all examples of a decider',
      method: 'POST',
      paths: [`${deciderPath}/fit`],
      params: InDecider,
      body: { schema: FitRequest, bytesMax: 1_024, emptyAllowed: true },
      responses: { 200: FitBody, 202: FitBody },
      async handle({ body, params, principal, signal }, { deciders, storageQuota }: Services) {
        const of = ofOwn(principal, params.decider);
        const { max_error: maxError } = body;
        const target = maxError === undefined ? null : { maxError, confidence: boundConfidence };
        const begun = await deciders.fits.start(of, await storageQuota.admit(of.accountId), target);
        if (body.wait === true) await deciders.fits.wait(begun.id, waitMs, signal);
        const fit = body.wait === true ? await deciders.fits.get(of, begun.id) : begun;
        const { fitId } = await deciders.stored.get(of.accountId, of.decider);
        return { status: fit.state === 'running' ? 202 : 200, headers: {}, body: fromFit(fit, fitId) };
      },
    }),
    listFits,
    getFit,
    cancelFit,
    rollbackDecider,
  ];
}

const listExamples = defineOperation({
  ...onDeciders,
  id: 'listExamples',
  summary: 'Lists the examples of a decider, oldest first',
  method: 'GET',
  paths: [examplesPath],
  params: InDecider,
  query: PageQuery,
  responses: { 200: ExampleList },
  async handle({ params, query, principal }, { deciders }: Services) {
    const { limit, token } = readPageQuery(query);
    const page = await deciders.examples.list(accountOf(principal), params.decider, limit, token);
    const { items, nextToken, total } = page;
    return ok({ examples: items.map(fromExample), total, ...toNextPage(nextToken) });
  },
});

const deleteExamples = defineOperation({
  ...onDeciders,
  id: 'deleteExamples',
  summary: 'Deletes all examples of a decider',
  method: 'DELETE',
  paths: [examplesPath],
  params: InDecider,
  responses: { 204: Type.Undefined() },
  async handle({ params, principal }, { deciders }: Services) {
    await deciders.examples.removeAll(accountOf(principal), params.decider);
    return noContent();
  },
});

const deleteExample = defineOperation({
  ...onDeciders,
  id: 'deleteExample',
  summary: 'Deletes one example',
  method: 'DELETE',
  paths: [`${examplesPath}/{example_id}`],
  params: InExample,
  responses: { 204: Type.Undefined() },
  async handle({ params, principal }, { deciders }: Services) {
    await deciders.examples.remove(accountOf(principal), params.decider, params.example_id);
    return noContent();
  },
});

const listFits = defineOperation({
  ...onDeciders,
  id: 'listFits',
  summary: 'Lists the fits of a decider that are kept, newest first',
  method: 'GET',
  paths: [fitsPath],
  params: InDecider,
  responses: { 200: FitList },
  async handle({ params, principal }, { deciders }: Services) {
    const of = { accountId: accountOf(principal), decider: params.decider };
    const fits = await deciders.fits.list(of);
    const current = fits.find(({ state }: FitRow) => state === 'taken')?.id ?? null;
    return ok({ fits: fits.map((fit) => fromFit(fit, current)) });
  },
});

const getFit = defineOperation({
  ...onDeciders,
  id: 'getFit',
  summary: 'One fit, with its report when it has ended',
  method: 'GET',
  paths: [`${fitsPath}/{fit_id}`],
  params: InFit,
  responses: { 200: FitBody },
  async handle({ params, principal }, { deciders }: Services) {
    const of = { accountId: accountOf(principal), decider: params.decider };
    const fit = await deciders.fits.get(of, params.fit_id);
    return ok(fromFit(fit, (await deciders.stored.get(of.accountId, of.decider)).fitId));
  },
});

const cancelFit = defineOperation({
  ...onDeciders,
  id: 'cancelFit',
  summary: 'Ends a fit that runs',
  method: 'DELETE',
  paths: [`${fitsPath}/{fit_id}`],
  params: InFit,
  responses: { 204: Type.Undefined() },
  async handle({ params, principal }, { deciders }: Services) {
    const of = { accountId: accountOf(principal), decider: params.decider };
    await deciders.fits.cancel(of, params.fit_id);
    return noContent();
  },
});

const rollbackDecider = defineOperation({
  ...onDeciders,
  id: 'rollbackDecider',
  summary: 'Puts the fit before the one in use into use, or none where it was the first',
  method: 'POST',
  paths: [`${deciderPath}/rollback`],
  params: InDecider,
  responses: { 200: DeciderBody },
  async handle({ params, principal }, { deciders }: Services) {
    const of = { accountId: accountOf(principal), decider: params.decider };
    await deciders.fits.rollback(of);
    return ok(fromRecord(await deciders.stored.get(of.accountId, of.decider)));
  },
});
