import { defineOperation, ok, type Operation } from '../../../../kernel/http/operation.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { listOf, toList } from '../../../accounts/feature.ts';
import { toKnownModel, toModelFile } from './convert.ts';
import { InKnown, KnownModel, ModelFile, PullRequest } from './schema.ts';

const common = { group: 'admin', credentials: 'admin', surface: 'plain', buckets: [] } as const;
const bytesMax = 65_536;
const knownPath = '/admin/v1/models/known';
const pullPath = '/admin/v1/models/known/{model_name}/pull';

/** What `nestor models` does in the data folder, over HTTP. */
export function modelFileOperations({ admin }: Settings): readonly Operation<Services>[] {
  return admin ? modelOperations : [];
}

const modelOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'adminListModelFiles',
    summary: 'Lists the models in the data folder: what each is, its licence, and which key uses it',
    method: 'GET',
    paths: ['/admin/v1/models/files'],
    responses: { 200: listOf(ModelFile) },
    async handle(_call, { modelPulls }: Services) {
      return ok(toList({ items: await (await modelPulls()).files(), next: null }, toModelFile));
    },
  }),
  defineOperation({
    ...common,
    id: 'adminListKnownModels',
    summary: 'Lists the models that can be pulled by name, and how far their pulls are',
    method: 'GET',
    paths: [knownPath],
    responses: { 200: listOf(KnownModel) },
    async handle(_call, { modelPulls }: Services) {
      return ok(toList({ items: await (await modelPulls()).known(), next: null }, toKnownModel));
    },
  }),
  defineOperation({
    ...common,
    id: 'adminPullModel',
    summary: 'Begins to download a model into the data folder; the list tells how far it is',
    method: 'POST',
    paths: [pullPath],
    params: InKnown,
    body: { schema: PullRequest, bytesMax, emptyAllowed: true },
    responses: { 200: KnownModel },
    async handle({ params, body }, { modelPulls }: Services) {
      return ok(
        toKnownModel(await (await modelPulls()).pull(params.model_name, body.accept_licence === true)),
      );
    },
  }),
  defineOperation({
    ...common,
    id: 'adminCancelModelPull',
    summary: 'Ends the download of a model; what came is kept, and the next pull continues it',
    method: 'DELETE',
    paths: [pullPath],
    params: InKnown,
    responses: { 200: KnownModel },
    async handle({ params }, { modelPulls }: Services) {
      return ok(toKnownModel(await (await modelPulls()).cancel(params.model_name)));
    },
  }),
];
