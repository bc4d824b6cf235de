import type { Kysely, Selection } from 'kysely';

import type { Schema } from '../../kernel/store/schema.ts';
import { transact } from '../../kernel/store/transact.ts';
import { changesOne } from '../../kernel/store/changed-rows.ts';

const skillColumns = [
  'skills.ordinal',
  'skills.id',
  'skills.account_id as accountId',
  'skills.latest_revision as latestRevision',
  'skills.created_at_ms as createdAtMs',
  'skills.updated_at_ms as updatedAtMs',
] as const;
export type SkillRow = Readonly<Selection<Schema, 'skills', (typeof skillColumns)[number]>>;

const revisionColumns = [
  'ordinal',
  'id',
  'skill_id as skillId',
  'name',
  'description',
  'extra',
  'created_at_ms as createdAtMs',
] as const;
/** `extra` is JSON text. */
export type RevisionRow = Readonly<Selection<Schema, 'skill_revisions', (typeof revisionColumns)[number]>>;

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

export type Skills = ReturnType<typeof createSkills>;

/** `reader` is for everything that only reads; see `Database`. */
export function createSkills(db: Kysely<Schema>, reader = db) {
  return { ...readers(reader), ...writers(db) };
}

function readers(db: Kysely<Schema>) {
  const revisionsOf = (skillId: string) => db.selectFrom('skill_revisions').where('skill_id', '=', skillId);
  return {
    /** Newest first, with the name that the latest revision gives each. */
    list(accountId: string, { beforeOrdinal, limit }: PageBounds) {
      let query = db
        .selectFrom('skills')
        .innerJoin('skill_revisions', 'skill_revisions.id', 'skills.latest_revision')
        .select([...skillColumns, 'skill_revisions.name'])
        .where('account_id', '=', accountId);
      if (beforeOrdinal !== null) query = query.where('skills.ordinal', '<', beforeOrdinal);
      return query.orderBy('skills.ordinal', 'desc').limit(limit).execute();
    },

    find: (accountId: string, id: string): Promise<SkillRow | undefined> =>
      db
        .selectFrom('skills')
        .select(skillColumns)
        .where('id', '=', id)
        .where('account_id', '=', accountId)
        .executeTakeFirst(),

    /** A revision that is kept. */
    findRevision: (skillId: string, revision: string): Promise<RevisionRow | undefined> =>
      revisionsOf(skillId).select(revisionColumns).where('id', '=', revision).executeTakeFirst(),

    /** Newest first. */
    listRevisions(skillId: string, { beforeOrdinal, limit }: PageBounds): Promise<RevisionRow[]> {
      let query = revisionsOf(skillId).select(revisionColumns);
      if (beforeOrdinal !== null) query = query.where('ordinal', '<', beforeOrdinal);
      return query.orderBy('ordinal', 'desc').limit(limit).execute();
    },

    async readBundle(skillId: string, revision: string): Promise<Uint8Array | undefined> {
      const row = await revisionsOf(skillId).select('bundle').where('id', '=', revision).executeTakeFirst();
      return row && Buffer.from(row.bundle, 'base64');
    },
  };
}

function writers(db: Kysely<Schema>) {
  return {
    /** False when the account has as many as it may have. */
    create: (
      skill: Omit<SkillRow, 'ordinal' | 'latestRevision'>,
      revision: NewRevision,
      skillsMax: number,
    ): Promise<boolean> =>
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

    /** Check and write are one step: of two that expect the same revision, one is done. Keeps `revisionsMax`. */
    update: (
      { accountId, id, expected }: Readonly<Record<'accountId' | 'id' | 'expected', string>>,
      revision: NewRevision,
      revisionsMax: number,
    ): Promise<ChangeOutcome> =>
      transact(db, async (transaction) => {
        const changed = transaction
          .updateTable('skills')
          .set({ latest_revision: revision.id, updated_at_ms: revision.createdAtMs })
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .where('latest_revision', '=', expected);
        if (!(await changesOne(changed))) return whyNot(transaction, accountId, id);
        await insertRevision(transaction, id, revision);
        await dropOldRevisions(transaction, id, revisionsMax);
        return 'done';
      }),

    remove: (accountId: string, id: string, expected: string): Promise<ChangeOutcome> =>
      transact(db, async (transaction) => {
        const removed = transaction
          .deleteFrom('skills')
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .where('latest_revision', '=', expected);
        return (await changesOne(removed)) ? 'done' : whyNot(transaction, accountId, id);
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
