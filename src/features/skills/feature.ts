import { defineFeature } from '../../kernel/feature.ts';
import { prepareSkills } from './open-skills.ts';
import type { SkillStore } from './skills.ts';
import { skillOperations } from './wire/operation.ts';

export type { SkillStore } from './skills.ts';

declare module '../../kernel/feature.ts' {
  interface Services {
    readonly skills: SkillStore;
  }
}

/** Bundles of instructions and files that the agent loads. */
export const feature = defineFeature({
  name: 'skills',
  gives: ['skills'],
  open: async ({ config, kernel }) => ({ skills: await prepareSkills(config, kernel) }),
  operations: skillOperations,
});
