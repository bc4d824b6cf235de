import { Type, type Static } from 'typebox';
import { NextPage } from '../../../kernel/http/page-query.ts';
import { named, Strict } from '../../../kernel/kit/schema.ts';

const Instant = Type.String({ format: 'date-time' });

export const SkillRecordBody = named(
  'Skill',
  Strict(
    {
      skill_id: Type.String(),
      name: Type.String(),
      description: Type.String(),
      revision: Type.String(),
      latest_revision: Type.String(),
      created_at: Instant,
      updated_at: Instant,
    },
    {
      name: 'Of `SKILL.md`, as is `description`; need not be unique.',
      revision: 'The one that is told here.',
      latest_revision: 'To be sent as `expected_revision`.',
    },
  ),
);
export type SkillRecordBody = Static<typeof SkillRecordBody>;

const SkillSummary = Strict({
  skill_id: Type.String(),
  name: Type.String(),
  revision: Type.String(),
  created_at: Instant,
  updated_at: Instant,
});
export type SkillSummary = Static<typeof SkillSummary>;

const RevisionRecord = Strict({ revision: Type.String(), name: Type.String(), created_at: Instant });
export type RevisionRecord = Static<typeof RevisionRecord>;

export const SkillList = Strict({ skills: Type.Array(SkillSummary), next_page_token: NextPage });
export const RevisionList = Strict({ revisions: Type.Array(RevisionRecord), next_page_token: NextPage });
export const Download = Strict(
  { download_url: Type.String(), revision: Type.String(), name: Type.String() },
  {
    download_url:
      'Needs no credentials, and is 404 after ten minutes. Without `public_url` in the configuration it is a path of this server.',
  },
);

export const InSkill = Type.Object({ skill_id: Type.String() });
export const RevisionQuery = Type.Object({
  revision: Type.Optional(Type.String({ description: 'The latest by default.' })),
});
export const ExpectedQuery = Type.Object({
  expected_revision: Type.String({
    minLength: 1,
    description: 'The revision that you take for the latest.',
    errorCode: 'missing_field',
    errorMessage: 'Missing required parameter "expected_revision"',
  }),
});
export const LinkQuery = Type.Object({
  revision: Type.Optional(Type.String()),
  expires: Type.Optional(Type.String()),
  sig: Type.Optional(Type.String()),
});
