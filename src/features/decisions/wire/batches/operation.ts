import { Type } from 'typebox';
import { Fault } from '../../../../kernel/faults.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { parseBody } from '../../../../kernel/http/body.ts';
import {
  accountOf,
  callerOf,
  created,
  defineOperation,
  jsonLines,
  noContent,
  ok,
  perMinute,
  type Operation,
} from '../../../../kernel/http/operation.ts';
import { quote } from '../../../../kernel/kit/text.ts';
import { createValidator } from '../../../../kernel/http/validate.ts';
import { problemToFault } from '../../../../kernel/http/validation-errors.ts';
import { toList, toPageRequest } from '../../../accounts/feature.ts';
import { nameOf, resolverOf } from '../deciders.ts';
import type { CheckLine } from '../../batches/lines.ts';
import { SeenNames } from '../../batches/seen-names.ts';
import { fromBatch } from './convert.ts';
import {
  Batch,
  BatchFields,
  BatchLine,
  BatchList,
  BatchPage,
  BatchReference,
  InBatch,
  Results,
  ResultsQuery,
} from './schema.ts';

const shared = {
  group: 'decisions',
  surface: 'decisions',
  credentials: 'bearer',
  buckets: [perMinute('batches', 120)],
} as const;

const listPath = '/v1/decisions/batches';
const path = '/v1/decisions/batches/{batch_id}';
const fieldBytesMax = 1_048_576;
const nameMax = 255;

/** Decisions over the rows of a file, in the background. */
export function batchOperations(settings: Settings): readonly Operation<Services>[] {
  const resolveNames = resolverOf(settings, 'decisions');
  return [
    listBatches,
    defineOperation({
      ...shared,
      id: 'createDecisionBatch',
      summary: 'Answers questions about every row of a file of JSON lines, in the background',
      method: 'POST',
      paths: [listPath],
      buckets: [perMinute('batch uploads', 30)],
      resolveNames,
      body: {
        upload: {
          part: 'file',
          fields: BatchFields(settings),
          json: ['questions'],
          bytesMax: settings.decisions.batchBytesMax,
          fieldBytesMax,
        },
      },
      responses: { 201: Batch },
      async handle({ body, principal }, { decisionBatches, clock }: Services) {
        const { accountId, keyId } = callerOf(principal);
        const { fields, name, content } = body;
        const request = {
          accountId,
          keyId,
          name: name === '' ? null : name.slice(0, nameMax),
          ...toAbout(fields),
        };
        const batch = await decisionBatches.create(request, content, checkOf(fields));
        return created(fromBatch(batch, clock.now()));
      },
    }),
    getBatch,
    getResults,
    cancelBatch,
    deleteBatch,
    ...(settings.admin ? [referenceOperation(settings)] : []),
  ];
}

const listBatches = defineOperation({
  ...shared,
  id: 'listDecisionBatches',
  summary: 'Lists batches of decisions, newest first',
  method: 'GET',
  paths: [listPath],
  query: BatchPage,
  responses: { 200: BatchList },
  async handle({ query, principal }, { decisionBatches, clock }: Services) {
    const found = await decisionBatches.list(accountOf(principal), toPageRequest(query));
    return ok(toList(found, (batch) => fromBatch(batch, clock.now())));
  },
});

const getBatch = defineOperation({
  ...shared,
  id: 'getDecisionBatch',
  summary: 'One batch: how far it is, how fast, and how long it takes',
  method: 'GET',
  paths: [path],
  params: InBatch,
  responses: { 200: Batch },
  async handle({ params, principal }, { decisionBatches, clock }: Services) {
    return ok(fromBatch(await decisionBatches.find(accountOf(principal), params.batch_id), clock.now()));
  },
});

const getResults = defineOperation({
  ...shared,
  id: 'getDecisionBatchResults',
  summary: 'Results of a batch as JSON lines, also while it runs',
  method: 'GET',
  paths: [`${path}/results`],
  params: InBatch,
  query: ResultsQuery,
  responses: { 200: Results },
  async handle({ params, query, principal }, { decisionBatches }: Services) {
    const { id } = await decisionBatches.find(accountOf(principal), params.batch_id);
    return jsonLines(decisionBatches.results(id, query.after ?? 0, query.limit ?? Infinity));
  },
});

const cancelBatch = defineOperation({
  ...shared,
  id: 'cancelDecisionBatch',
  summary: 'Ends a batch; its results so far are kept',
  method: 'POST',
  paths: [`${path}/cancel`],
  params: InBatch,
  responses: { 200: Batch },
  async handle({ params, principal }, { decisionBatches, clock }: Services) {
    return ok(fromBatch(await decisionBatches.cancel(accountOf(principal), params.batch_id), clock.now()));
  },
});

const deleteBatch = defineOperation({
  ...shared,
  id: 'deleteDecisionBatch',
  summary: 'Deletes a batch with its results; one that runs is ended',
  method: 'DELETE',
  paths: [path],
  params: InBatch,
  responses: { 204: Type.Undefined() },
  async handle({ params, principal }, { decisionBatches }: Services) {
    await decisionBatches.remove(accountOf(principal), params.batch_id);
    return noContent();
  },
});

const referenceOperation = (settings: Settings) =>
  defineOperation({
    id: 'adminCreateDecisionBatch',
    summary: 'Makes a batch for an account out of a file in the data folder',
    group: 'admin',
    surface: 'plain',
    credentials: 'admin',
    buckets: [],
    method: 'POST',
    paths: ['/admin/v1/decisions/batches'],
    body: { schema: BatchReference(settings), bytesMax: fieldBytesMax },
    responses: { 201: Batch },
    async handle({ body, signal }, { decisionBatches, batchFiles, administration, clock }: Services) {
      const account = await administration.accounts.get(body.account_id);
      const request = { accountId: account.id, keyId: 'admin', ...toAbout(body) };
      const { name, content } = await batchFiles.open(body.file, signal);
      const batch = await decisionBatches.create(
        { ...request, name: name.slice(0, nameMax) },
        content,
        checkOf(body),
      );
      return created(fromBatch(batch, clock.now()));
    },
  });

function toAbout({ model, questions }: Pick<BatchFields, 'model' | 'questions'>) {
  return {
    model: nameOf(model),
    questions: questions === undefined ? null : JSON.stringify(questions),
  };
}

const line = createValidator(BatchLine);

/** Throws the Fault of a line that is none, has no questions where the batch has none either, or the name of another. */
function checkOf({ questions }: Pick<BatchFields, 'questions'>): CheckLine {
  const seen = new SeenNames();
  return (bytes, number) => {
    const { value, keysOf } = parseBody(bytes);
    if (!line.check(value)) throw problemToFault('decisions', line.explain(value, keysOf));
    if (questions === undefined && value['questions'] === undefined)
      throw new Fault(
        'missing_field',
        'questions are missing: give them in the line, or for the whole batch',
        {
          param: 'questions',
        },
      );
    for (const field of ['id', 'custom_id']) {
      const name = value[field];
      // Integers beyond 2^53 would be taken for each other.
      if (typeof name !== 'string' && !Number.isSafeInteger(name)) continue;
      const text = JSON.stringify(name);
      const before = seen.note(`${field} ${text}`, number);
      if (before === null) continue;
      const reason = `${field} ${quote(text)} stands in line ${before} already`;
      throw new Fault('invalid_value', reason, { param: field });
    }
  };
}
