import { Fault, invalidValue } from '../../../kernel/faults.ts';
import { quote } from '../../../kernel/kit/text.ts';
import type { SkillContent, SkillService } from '../../skills/feature.ts';
import type { ToolContext } from '../../tools/feature.ts';
import type { Skill } from './tool-schema.ts';

type ReadSkills = Pick<ToolContext, 'skills' | 'skillFiles'>;
type SkillFiles = Awaited<ReturnType<ToolContext['skillFiles']>>;

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
    skills: found.map(({ name, description, open }) => ({
      name,
      description,
      async load(signal) {
        const { instructions, files } = await open(signal);
        return { instructions, paths: [...files.keys()] };
      },
    })),
    skillFiles: (bytesMax, signal) => readFiles(found, bytesMax, signal),
  };
}

/** A skill that exists. What stands in it is read when it is needed: a bundle is small, and large once unpacked. */
interface FoundSkill {
  readonly name: string;
  readonly description: string;
  readonly open: (signal: AbortSignal) => Promise<SkillContent>;
}

async function readSkill(
  skill: Skill,
  param: string,
  store: SkillService,
  accountId: string,
): Promise<FoundSkill> {
  switch (skill.type) {
    case 'inline': {
      const { name, description, instructions } = skill;
      return { name, description, open: () => Promise.resolve({ instructions, files: new Map() }) };
    }
    case 'builtin':
      throw invalidValue(`unknown builtin skill "${quote(skill.name)}"`, `${param}.name`);
    case 'custom': {
      const { id, version } = skill;
      const revision = version === undefined || version === 'latest' ? null : version;
      try {
        const record = await store.get(accountId, id, revision);
        const { name, description } = record.revision;
        return { name, description, open: (signal) => store.load(record, signal) };
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

/** Files below the names of their skills. One skill after the other, so that little more is unpacked than is taken. */
async function readFiles(
  skills: readonly FoundSkill[],
  bytesMax: number,
  signal: AbortSignal,
): Promise<SkillFiles> {
  const all: SkillFiles[number][] = [];
  let left = bytesMax;
  for (const { name, open } of skills)
    for (const [path, bytes] of (await open(signal)).files) {
      left -= bytes.length;
      if (left < 0) throw invalidValue(`The files of the skills are more than ${bytesMax} bytes.`, 'skills');
      all.push({ path: `${name}/${path}`, bytes });
    }
  return all;
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}-${number}`;
  taken.add(free);
  return free;
}
