import { Type } from 'typebox';
import {
  bytes,
  created,
  defineOperation,
  noContent,
  ok,
  perMinute,
  type Operation,
} from '../../../kernel/http/operation.ts';
import { bundleBytesMax } from '../bundle.ts';
import { accountOf } from '../../../kernel/http/caller.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';
import { toList, toRecord, toRevisionRecord, toSummary } from './convert.ts';
import {
  Download,
  ExpectedQuery,
  LinkQuery,
  PageQuery,
  RevisionList,
  RevisionQuery,
  SkillList,
  SkillRecordBody,
} from './schema.ts';

const pageDefault = 50;
/** What multipart adds around the file at most. */
const envelopeBytesMax = 65_536;
const upload = { multipart: { part: 'file', bytesMax: bundleBytesMax, envelopeBytesMax } } as const;

const shared = {
  group: 'skills',
  surface: 'skills',
  credentials: 'bearer',
  buckets: [perMinute('skills', 60)],
} as const;

const listPath = '/v1/skills';
const skillPath = '/v1/skills/{skill_id}';

/** Skills: uploaded, listed, changed against the revision that was seen, fetched again. Contract 13. */
export function skillOperations(settings: Settings): readonly Operation<Services>[] {
  return [
    createSkill,
    listSkills,
    getSkill,
    updateSkill,
    deleteSkill,
    listRevisions,
    download(settings),
    openBundle,
  ];
}

const createSkill = defineOperation({
  ...shared,
  id: 'createSkill',
  summary: 'Makes a skill out of a bundle',
  method: 'POST',
  paths: [listPath],
  body: upload,
  responses: { 201: SkillRecordBody },
  async handle({ body, principal }, { skills, storageQuota }: Services) {
    const accountId = accountOf(principal);
    await storageQuota.admit(accountId, body.file.byteLength);
    return created(toRecord(await skills.create(accountId, body.file)));
  },
});

const listSkills = defineOperation({
  ...shared,
  id: 'listSkills',
  summary: 'Lists skills, newest first',
  method: 'GET',
  paths: [listPath],
  query: PageQuery,
  responses: { 200: SkillList },
  async handle({ query, principal }, { skills }: Services) {
    const { limit = pageDefault, page_token: token = null } = query;
    return ok(toList('skills', await skills.list(accountOf(principal), limit, token), toSummary));
  },
});

const getSkill = defineOperation({
  ...shared,
  id: 'getSkill',
  summary: 'One skill, as of its latest or another revision',
  method: 'GET',
  paths: [skillPath],
  query: RevisionQuery,
  responses: { 200: SkillRecordBody },
  async handle({ params, query, principal }, { skills }: Services) {
    const id = params['skill_id'] ?? '';
    return ok(toRecord(await skills.get(accountOf(principal), id, query.revision ?? null)));
  },
});

const updateSkill = defineOperation({
  ...shared,
  id: 'updateSkill',
  summary: 'Gives a skill a new revision',
  method: 'PUT',
  paths: [skillPath],
  query: ExpectedQuery,
  body: upload,
  responses: { 200: SkillRecordBody },
  async handle({ params, query, body, principal }, { skills, storageQuota }: Services) {
    const id = params['skill_id'] ?? '';
    const accountId = accountOf(principal);
    await storageQuota.admit(accountId, body.file.byteLength);
    return ok(toRecord(await skills.update(accountId, id, query.expected_revision, body.file)));
  },
});

const deleteSkill = defineOperation({
  ...shared,
  id: 'deleteSkill',
  summary: 'Deletes a skill with all its revisions',
  method: 'DELETE',
  paths: [skillPath],
  query: ExpectedQuery,
  responses: { 204: Type.Undefined() },
  async handle({ params, query, principal }, { skills }: Services) {
    await skills.remove(accountOf(principal), params['skill_id'] ?? '', query.expected_revision);
    return noContent();
  },
});

const listRevisions = defineOperation({
  ...shared,
  id: 'listSkillRevisions',
  summary: 'Lists the revisions of a skill, newest first',
  method: 'GET',
  paths: ['/v1/skills/{skill_id}/revisions'],
  query: PageQuery,
  responses: { 200: RevisionList },
  async handle({ params, query, principal }, { skills }: Services) {
    const { limit = pageDefault, page_token: token = null } = query;
    const page = await skills.listRevisions(accountOf(principal), params['skill_id'] ?? '', limit, token);
    return ok(toList('revisions', page, toRevisionRecord));
  },
});

function download({ publicUrl }: Settings): Operation<Services> {
  return defineOperation({
    ...shared,
    id: 'downloadSkill',
    summary: 'A link to the bundle that works for ten minutes',
    method: 'GET',
    paths: ['/v1/skills/{skill_id}/download'],
    query: RevisionQuery,
    responses: { 200: Download },
    async handle({ params, query, principal }, { skills }: Services) {
      const id = params['skill_id'] ?? '';
      const record = await skills.get(accountOf(principal), id, query.revision ?? null);
      // A header of the request never decides where a link leads.
      const base = (publicUrl ?? '').replace(/(?<!\/)\/+$/, '');
      return ok({
        download_url: `${base}/v1/skills/${encodeURIComponent(id)}/bundle?${skills.signLink(record)}`,
        revision: record.revision.id,
        name: record.revision.name,
      });
    },
  });
}

const openBundle = defineOperation({
  ...shared,
  id: 'openSkillBundle',
  summary: 'The bundle behind a signed link',
  method: 'GET',
  paths: ['/v1/skills/{skill_id}/bundle'],
  credentials: 'none',
  buckets: [],
  query: LinkQuery,
  responses: { 200: Type.Unsafe({ type: 'string', contentMediaType: 'application/zip' }) },
  async handle({ params, query }, { skills }: Services) {
    const id = params['skill_id'] ?? '';
    const { revision = '', expires = '', sig = '' } = query;
    const bundle = await skills.openLink(id, { revision, expires, signature: sig });
    return bytes(bundle, 'application/zip', {
      'content-disposition': `attachment; filename="${id}.zip"`,
      'cache-control': 'private, no-store',
    });
  },
});
