import type { Config } from '../../kernel/config.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import type { Ids } from '../../kernel/kit/ids.ts';
import { createSkillStore, type SkillStore } from './skills.ts';
import type { Database } from '../../kernel/store/database.ts';
import { ensureSecret } from '../../kernel/store/secrets.ts';
import { createSkills } from './store.ts';

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
