import { Type } from 'typebox';
import { withoutEndSlashes } from '../../../kernel/kit/text.ts';
import {
  accountOf,
  bytes,
  created,
  defineOperation,
  noContent,
  ok,
  type Operation,
  perMinute,
} from '../../../kernel/http/operation.ts';
import { PageQuery, readPageQuery, toNextPage } from '../../../kernel/http/page-query.ts';
import type { TokenPage } from '../../../kernel/kit/page-tokens.ts';
import { bundleBytesMax } from '../bundle.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';
import type { SkillRecord, SkillService } from '../skills.ts';
import {
  Download,
  ExpectedQuery,
  InSkill,
  LinkQuery,
  RevisionList,
  type RevisionRecord,
  RevisionQuery,
  SkillList,
  SkillRecordBody,
  type SkillSummary,
} from './schema.ts';

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
    const { limit, token } = readPageQuery(query);
    return ok(toList('skills', await skills.list(accountOf(principal), limit, token), toSummary));
  },
});

const getSkill = defineOperation({
  ...shared,
  id: 'getSkill',
  summary: 'One skill, as of its latest or another revision',
  method: 'GET',
  paths: [skillPath],
  params: InSkill,
  query: RevisionQuery,
  responses: { 200: SkillRecordBody },
  async handle({ params, query, principal }, { skills }: Services) {
    const record = await skills.get(accountOf(principal), params.skill_id, query.revision ?? null);
    return ok(toRecord(record));
  },
});

const updateSkill = defineOperation({
  ...shared,
  id: 'updateSkill',
  summary: 'Gives a skill a new revision',
  method: 'PUT',
  paths: [skillPath],
  params: InSkill,
  query: ExpectedQuery,
  body: upload,
  responses: { 200: SkillRecordBody },
  async handle({ params, query, body, principal }, { skills, storageQuota }: Services) {
    const id = params.skill_id;
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
  params: InSkill,
  query: ExpectedQuery,
  responses: { 204: Type.Undefined() },
  async handle({ params, query, principal }, { skills }: Services) {
    await skills.remove(accountOf(principal), params.skill_id, query.expected_revision);
    return noContent();
  },
});

const listRevisions = defineOperation({
  ...shared,
  id: 'listSkillRevisions',
  summary: 'Lists the revisions of a skill, newest first',
  method: 'GET',
  paths: [`${skillPath}/revisions`],
  params: InSkill,
  query: PageQuery,
  responses: { 200: RevisionList },
  async handle({ params, query, principal }, { skills }: Services) {
    const { limit, token } = readPageQuery(query);
    const page = await skills.listRevisions(accountOf(principal), params.skill_id, limit, token);
    return ok(toList('revisions', page, toRevisionRecord));
  },
});

function download({ publicUrl }: Settings): Operation<Services> {
  return defineOperation({
    ...shared,
    id: 'downloadSkill',
    summary: 'A link to the bundle that works for ten minutes',
    method: 'GET',
    paths: [`${skillPath}/download`],
    params: InSkill,
    query: RevisionQuery,
    responses: { 200: Download },
    async handle({ params, query, principal }, { skills }: Services) {
      const id = params.skill_id;
      const record = await skills.get(accountOf(principal), id, query.revision ?? null);
      // A header of the request never decides where a link leads.
      const base = withoutEndSlashes(publicUrl ?? '');
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
  paths: [`${skillPath}/bundle`],
  params: InSkill,
  credentials: 'none',
  buckets: [],
  query: LinkQuery,
  responses: { 200: Type.Unsafe({ type: 'string', contentMediaType: 'application/zip' }) },
  async handle({ params, query }, { skills }: Services) {
    const id = params.skill_id;
    const { revision = '', expires = '', sig = '' } = query;
    const bundle = await skills.openLink(id, revision, expires, sig);
    return bytes(bundle, 'application/zip', {
      'content-disposition': `attachment; filename="${id}.zip"`,
      'cache-control': 'private, no-store',
    });
  },
});

/** Whole seconds, as in the examples of the interface. */
function toInstant(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function toRecord({ skill, revision }: SkillRecord): SkillRecordBody {
  return {
    skill_id: skill.id,
    name: revision.name,
    description: revision.description,
    revision: revision.id,
    latest_revision: skill.latestRevision,
    created_at: toInstant(skill.createdAtMs),
    updated_at: toInstant(skill.updatedAtMs),
  };
}

function toSummary(skill: Awaited<ReturnType<SkillService['list']>>['items'][number]): SkillSummary {
  return {
    skill_id: skill.id,
    name: skill.name,
    revision: skill.latestRevision,
    created_at: toInstant(skill.createdAtMs),
    updated_at: toInstant(skill.updatedAtMs),
  };
}

function toRevisionRecord(revision: SkillRecord['revision']): RevisionRecord {
  return { revision: revision.id, name: revision.name, created_at: toInstant(revision.createdAtMs) };
}

/** A list under its name; the token is left out on the last page. */
function toList<Item, Body>(
  name: string,
  { items, nextToken }: TokenPage<Item>,
  toBody: (item: Item) => Body,
): Record<string, readonly Body[] | string> {
  return { [name]: items.map(toBody), ...toNextPage(nextToken) };
}
