import type { TokenPage } from '../../../kernel/kit/page-tokens.ts';
import type { SkillRecord } from '../skills.ts';
import type { RevisionRecord, SkillRecordBody, SkillSummary } from './schema.ts';

/** Whole seconds, as in the examples of the interface. */
function toInstant(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

export function toRecord({ skill, revision }: SkillRecord): SkillRecordBody {
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

export function toSummary({ skill, revision }: SkillRecord): SkillSummary {
  return {
    skill_id: skill.id,
    name: revision.name,
    revision: skill.latestRevision,
    created_at: toInstant(skill.createdAtMs),
    updated_at: toInstant(skill.updatedAtMs),
  };
}

export function toRevisionRecord(revision: SkillRecord['revision']): RevisionRecord {
  return { revision: revision.id, name: revision.name, created_at: toInstant(revision.createdAtMs) };
}

/** A list under its name; the token is left out on the last page. */
export function toList<Item, Body>(
  name: string,
  { items, nextToken }: TokenPage<Item>,
  toBody: (item: Item) => Body,
): Record<string, readonly Body[] | string> {
  const list = items.map(toBody);
  return nextToken === null ? { [name]: list } : { [name]: list, next_page_token: nextToken };
}
