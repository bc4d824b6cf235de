import { Fault, invalidValue } from '../../../kernel/faults.ts';
import { quote } from '../../../kernel/kit/text.ts';
import type { SkillService } from '../../skills/feature.ts';
import type { ToolContext } from '../../tools/feature.ts';
import type { Skill } from './tool-schema.ts';

type ReadSkills = Pick<ToolContext, 'skills' | 'skillFiles'>;

/** Of all inline instructions of a request. */
const instructionBytesMax = 262_144;

/**
 * Skills of a request, ready to be loaded. Two of one name are distinguished by a number. Throws Fault `invalid_value` for
 * one that does not exist.
 */
export async function readSkills(
  skills: readonly Skill[],
  store: SkillService,
  accountId: string,
): Promise<ReadSkills> {
  const bytes = skills.reduce(
    (sum, skill) => sum + (skill.type === 'inline' ? Buffer.byteLength(skill.instructions) : 0),
    0,
  );
  if (bytes > instructionBytesMax)
    throw invalidValue(
      `instructions of skills must be at most ${instructionBytesMax} bytes in all`,
      'skills',
    );
  const read = await Promise.all(
    skills.map((skill, at) => readSkill(skill, `skills.${at}`, store, accountId)),
  );
  const names = new Set<string>();
  const found = read.map((skill) => ({ ...skill, name: freeName(skill.name, names) }));
  return {
    skills: found.map(({ name, description, instructions, files }) => ({
      name,
      description,
      load: async () => ({ instructions, paths: files.map(({ path }) => path) }),
    })),
    skillFiles: found.flatMap(({ name, files }) =>
      files.map(({ path, bytes }) => ({ path: `${name}/${path}`, bytes })),
    ),
  };
}

async function readSkill(skill: Skill, param: string, store: SkillService, accountId: string) {
  switch (skill.type) {
    case 'inline':
      return { ...skill, files: [] };
    case 'builtin':
      throw invalidValue(`unknown builtin skill "${quote(skill.name)}"`, `${param}.name`);
    case 'custom': {
      const { id, version } = skill;
      const revision = version === undefined || version === 'latest' ? null : version;
      try {
        const record = await store.get(accountId, id, revision);
        const { name, description } = record.revision;
        const { instructions, files } = await store.load(record);
        return {
          name,
          description,
          instructions,
          files: [...files].map(([path, bytes]) => ({ path, bytes })),
        };
      } catch (error) {
        if (!(error instanceof Fault) || error.code !== 'not_found') throw error;
        const what = error.message.startsWith('revision')
          ? `unknown version "${quote(version ?? '')}" of skill "${quote(id)}"`
          : `unknown skill "${quote(id)}"`;
        throw invalidValue(what, `${param}.id`);
      }
    }
  }
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}-${number}`;
  taken.add(free);
  return free;
}
