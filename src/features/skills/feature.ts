import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { skillKeys } from './config.ts';
import { ensureSecret } from '../../kernel/store/secrets.ts';
import { SkillService } from './skills.ts';
import { createSkills } from './store.ts';
import { skillOperations } from './wire/operation.ts';

export type { SkillContent } from './bundle.ts';
export type { SkillService } from './skills.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<typeof skillKeys> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly skills: SkillService;
  }
}

/** Bundles of instructions and files that the agent loads. */
export const feature = defineFeature({
  name: 'skills',
  config: { keys: skillKeys },
  gives: ['skills'],
  async open({ config: { skills }, kernel: { database, clock, ids } }) {
    const options = {
      skills: createSkills(database.db, database.reader),
      secret: await ensureSecret(database.db, 'skills', ids.secret(32)),
      skillsMax: skills.maxPerAccount,
      clock,
      ids,
    };
    return { skills: new SkillService(options) };
  },
  operations: skillOperations,
});
