import type { Kysely, Selectable } from 'kysely';

import type { Schema, SkillRevisionsTable, SkillsTable } from '../../kernel/store/schema.ts';
import { transact } from '../../kernel/store/transact.ts';

export interface SkillRow {
  /** Grows with each creation. */
  readonly ordinal: number;
  readonly id: string;
  readonly accountId: string;
  readonly latestRevision: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface RevisionRow {
  readonly ordinal: number;
  readonly id: string;
  readonly skillId: string;
  readonly name: string;
  readonly description: string;
  /** JSON text. */
  readonly extra: string;
  readonly createdAtMs: number;
}

export type NewRevision = Omit<RevisionRow, 'ordinal' | 'skillId'> & {
  /** The zip, exactly as it came. */
  readonly bundle: Uint8Array;
};

/** `changed` when the revision that was expected is not the latest. */
export type ChangeOutcome = 'done' | 'missing' | 'changed';

interface PageBounds {
  /** Null begins with the newest. */
  readonly beforeOrdinal: number | null;
  readonly limit: number;
}

export interface Skills {
  /** False when the account has as many as it may have. */
  create(
    skill: Omit<SkillRow, 'ordinal' | 'latestRevision'>,
    revision: NewRevision,
    skillsMax: number,
  ): Promise<boolean>;
  /** Newest first, with the latest revision of each. */
  list(
    accountId: string,
    page: PageBounds,
  ): Promise<readonly { readonly skill: SkillRow; readonly revision: RevisionRow }[]>;
  find(accountId: string, id: string): Promise<SkillRow | undefined>;
  /** A revision that is kept. */
  findRevision(skillId: string, revision: string): Promise<RevisionRow | undefined>;
  /** Newest first. */
  listRevisions(skillId: string, page: PageBounds): Promise<readonly RevisionRow[]>;
  readBundle(skillId: string, revision: string): Promise<Uint8Array | undefined>;
  /** Check and write are one step: of two that expect the same revision, one is done. Keeps `revisionsMax`. */
  update(
    target: { readonly accountId: string; readonly id: string; readonly expected: string },
    revision: NewRevision,
    revisionsMax: number,
  ): Promise<ChangeOutcome>;
  remove(accountId: string, id: string, expected: string): Promise<ChangeOutcome>;
}

const revisionColumns = [
  'skill_revisions.ordinal as revision_ordinal',
  'skill_revisions.id as revision_id',
  'skill_revisions.skill_id',
  'skill_revisions.name',
  'skill_revisions.description',
  'skill_revisions.extra',
  'skill_revisions.created_at_ms as revision_created_at_ms',
] as const;

/** `reader` is for everything that only reads; see `Database`. */
export function createSkills(db: Kysely<Schema>, reader = db): Skills {
  return { ...readers(reader), ...writers(db) };
}

type Writers = Pick<Skills, 'create' | 'update' | 'remove'>;

function readers(db: Kysely<Schema>): Omit<Skills, keyof Writers> {
  return {
    async list(accountId, { beforeOrdinal, limit }) {
      let query = db
        .selectFrom('skills')
        .innerJoin('skill_revisions', 'skill_revisions.id', 'skills.latest_revision')
        .selectAll('skills')
        .select(revisionColumns)
        .where('account_id', '=', accountId);
      if (beforeOrdinal !== null) query = query.where('skills.ordinal', '<', beforeOrdinal);
      const rows = await query.orderBy('skills.ordinal', 'desc').limit(limit).execute();
      return rows.map((row) => ({ skill: toSkill(row), revision: toRevision(row) }));
    },

    async find(accountId, id) {
      const row = await db
        .selectFrom('skills')
        .selectAll()
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .executeTakeFirst();
      return row && toSkill(row);
    },

    async findRevision(skillId, revision) {
      const row = await db
        .selectFrom('skill_revisions')
        .select(revisionColumns)
        .where('skill_id', '=', skillId)
        .where('id', '=', revision)
        .executeTakeFirst();
      return row && toRevision(row);
    },

    async listRevisions(skillId, { beforeOrdinal, limit }) {
      let query = db.selectFrom('skill_revisions').select(revisionColumns).where('skill_id', '=', skillId);
      if (beforeOrdinal !== null) query = query.where('ordinal', '<', beforeOrdinal);
      const rows = await query.orderBy('ordinal', 'desc').limit(limit).execute();
      return rows.map((row) => toRevision(row));
    },

    async readBundle(skillId, revision) {
      const row = await db
        .selectFrom('skill_revisions')
        .select('bundle')
        .where('skill_id', '=', skillId)
        .where('id', '=', revision)
        .executeTakeFirst();
      return row && Buffer.from(row.bundle, 'base64');
    },
  };
}

function writers(db: Kysely<Schema>): Writers {
  return {
    create: (skill, revision, skillsMax) =>
      transact(db, async (transaction) => {
        const { count } = await transaction
          .selectFrom('skills')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('account_id', '=', skill.accountId)
          .executeTakeFirstOrThrow();
        if (count >= skillsMax) return false;
        await transaction
          .insertInto('skills')
          .values({
            id: skill.id,
            account_id: skill.accountId,
            latest_revision: revision.id,
            created_at_ms: skill.createdAtMs,
            updated_at_ms: skill.updatedAtMs,
          })
          .execute();
        await insertRevision(transaction, skill.id, revision);
        return true;
      }),

    update: ({ accountId, id, expected }, revision, revisionsMax) =>
      transact(db, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('skills')
          .set({ latest_revision: revision.id, updated_at_ms: revision.createdAtMs })
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .where('latest_revision', '=', expected)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return whyNot(transaction, accountId, id);
        await insertRevision(transaction, id, revision);
        await dropOldRevisions(transaction, id, revisionsMax);
        return 'done';
      }),

    remove: (accountId, id, expected) =>
      transact(db, async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom('skills')
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .where('latest_revision', '=', expected)
          .executeTakeFirstOrThrow();
        return numDeletedRows === 1n ? 'done' : whyNot(transaction, accountId, id);
      }),
  };
}

async function whyNot(db: Kysely<Schema>, accountId: string, id: string): Promise<ChangeOutcome> {
  const row = await db
    .selectFrom('skills')
    .select('id')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row === undefined ? 'missing' : 'changed';
}

async function insertRevision(db: Kysely<Schema>, skillId: string, revision: NewRevision): Promise<void> {
  const { bundle } = revision;
  await db
    .insertInto('skill_revisions')
    .values({
      id: revision.id,
      skill_id: skillId,
      name: revision.name,
      description: revision.description,
      extra: revision.extra,
      bundle: Buffer.from(bundle.buffer, bundle.byteOffset, bundle.byteLength).toString('base64'),
      created_at_ms: revision.createdAtMs,
    })
    .execute();
}

async function dropOldRevisions(db: Kysely<Schema>, skillId: string, revisionsMax: number): Promise<void> {
  const kept = db
    .selectFrom('skill_revisions')
    .select('ordinal')
    .where('skill_id', '=', skillId)
    .orderBy('ordinal', 'desc')
    .limit(revisionsMax);
  await db
    .deleteFrom('skill_revisions')
    .where('skill_id', '=', skillId)
    .where('ordinal', 'not in', kept)
    .execute();
}

function toSkill(row: Selectable<SkillsTable>): SkillRow {
  return {
    ordinal: row.ordinal,
    id: row.id,
    accountId: row.account_id,
    latestRevision: row.latest_revision,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  };
}

type RevisionColumns = Pick<
  Selectable<SkillRevisionsTable>,
  'skill_id' | 'name' | 'description' | 'extra'
> & {
  readonly revision_ordinal: number;
  readonly revision_id: string;
  readonly revision_created_at_ms: number;
};

function toRevision(row: RevisionColumns): RevisionRow {
  return {
    ordinal: row.revision_ordinal,
    id: row.revision_id,
    skillId: row.skill_id,
    name: row.name,
    description: row.description,
    extra: row.extra,
    createdAtMs: row.revision_created_at_ms,
  };
}
