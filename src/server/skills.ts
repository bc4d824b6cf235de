import type { Config } from '../config.ts';
import type { Clock } from '../kit/clock.ts';
import type { Ids } from '../kit/ids.ts';
import { createSkillStore, type SkillStore } from '../skills/skills.ts';
import type { Database } from '../storage/database.ts';
import { ensureSecret } from '../storage/secrets.ts';
import { createSkills } from '../storage/skills.ts';

export async function prepareSkills(
  { skills }: Config,
  { database, clock, ids }: { readonly database: Database; readonly clock: Clock; readonly ids: Ids },
): Promise<SkillStore> {
  return createSkillStore({
    skills: createSkills(database.db, database.reader),
    secret: await ensureSecret(database.db, 'skills', ids.secret(32)),
    skillsMax: skills.maxPerAccount,
    clock,
    ids,
  });
}
