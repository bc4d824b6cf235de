import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false } as const;
const Instant = Type.String({ format: 'date-time' });

export const SkillRecordBody = Type.Object(
  {
    skill_id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    revision: Type.String(),
    latest_revision: Type.String(),
    created_at: Instant,
    updated_at: Instant,
  },
  closed,
);
export type SkillRecordBody = Static<typeof SkillRecordBody>;

const SkillSummary = Type.Object(
  {
    skill_id: Type.String(),
    name: Type.String(),
    revision: Type.String(),
    created_at: Instant,
    updated_at: Instant,
  },
  closed,
);
export type SkillSummary = Static<typeof SkillSummary>;

const RevisionRecord = Type.Object(
  { revision: Type.String(), name: Type.String(), created_at: Instant },
  closed,
);
export type RevisionRecord = Static<typeof RevisionRecord>;

const NextPage = Type.Optional(Type.String());
export const SkillList = Type.Object({ skills: Type.Array(SkillSummary), next_page_token: NextPage }, closed);
export const RevisionList = Type.Object(
  { revisions: Type.Array(RevisionRecord), next_page_token: NextPage },
  closed,
);
export const Download = Type.Object(
  { download_url: Type.String(), revision: Type.String(), name: Type.String() },
  closed,
);

export const PageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  page_token: Type.Optional(Type.String({ minLength: 1 })),
});
export const RevisionQuery = Type.Object({ revision: Type.Optional(Type.String()) });
export const ExpectedQuery = Type.Object({
  expected_revision: Type.String({
    minLength: 1,
    errorCode: 'missing_field',
    errorMessage: 'Missing required parameter "expected_revision"',
  }),
});
export const LinkQuery = Type.Object({
  revision: Type.Optional(Type.String()),
  expires: Type.Optional(Type.String()),
  sig: Type.Optional(Type.String()),
});
