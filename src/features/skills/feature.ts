import type { ConfigOf } from '../../kernel/config.ts';
import { defineFeature } from '../../kernel/feature.ts';
import { skillKeys } from './config.ts';
import { prepareSkills } from './open-skills.ts';
import type { SkillStore } from './skills.ts';
import { skillOperations } from './wire/operation.ts';

export type { SkillStore } from './skills.ts';

declare module '../../kernel/config.ts' {
  interface ConfigKeys extends ConfigOf<typeof skillKeys> {}
}

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly skills: SkillStore;
  }
}

/** Bundles of instructions and files that the agent loads. */
export const feature = defineFeature({
  name: 'skills',
  config: { keys: skillKeys },
  gives: ['skills'],
  open: async ({ config, kernel }) => ({ skills: await prepareSkills(config, kernel) }),
  operations: skillOperations,
});
