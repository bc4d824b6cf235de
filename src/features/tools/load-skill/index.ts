import type { OnFailure } from '../../../kernel/kit/failure-log.ts';
import { Arguments } from '../arguments.ts';
import { failure } from '../context-block.ts';
import type { Tool } from '../tool.ts';

/** A skill that a run may load. */
export interface LoadableSkill {
  readonly name: string;
  readonly description: string;
  /** The Markdown that tells how, and the paths of the files that come with it. */
  load(signal: AbortSignal): Promise<{ readonly instructions: string; readonly paths: readonly string[] }>;
}

/** Gives the model a skill's text when it is needed, so that unused ones cost their description only. */
export function createLoadSkill(skills: readonly LoadableSkill[], onFailure: OnFailure): Tool {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  const list = skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
  return {
    definition: {
      name: 'load_skill',
      description: `Loads the instructions of a skill. Load one before doing what it is for. Skills:\n${list}`,
      parameters: {
        type: 'object',
        properties: { name: { type: 'string', enum: [...byName.keys()] } },
        required: ['name'],
        additionalProperties: false,
      },
      strict: false,
    },

    async call(args, _callId, run) {
      const read = new Arguments(args);
      const name = read.text('name');
      if (read.problem !== null) return failure(read.problem);
      const skill = byName.get(name);
      if (skill === undefined)
        return failure(`There is no skill of this name. Skills: ${[...byName.keys()].join(', ')}.`);
      let loaded: Awaited<ReturnType<LoadableSkill['load']>>;
      try {
        loaded = await skill.load(run.signal);
      } catch (error) {
        run.signal.throwIfAborted();
        onFailure('skill', error);
        return failure('The skill cannot be loaded right now.');
      }
      run.report({ type: 'skill', name });
      const { instructions, paths } = loaded;
      const files =
        paths.length === 0 ? '' : `\n\nFiles, in the sandbox below skills/${name}/:\n${paths.join('\n')}`;
      return {
        items: [{ type: 'skill', name }],
        // The caller chose the skill: its text is what to do, not contextBlock of others.
        text: `Instructions of the skill ${name}:\n\n${instructions.trim()}${files}`,
        isError: false,
        uses: [],
      };
    },
  };
}
