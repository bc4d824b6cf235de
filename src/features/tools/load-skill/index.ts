import { Type } from 'typebox';
import { Arguments } from '../arguments.ts';
import { failure } from '../context-block.ts';
import { defineTool, outputItem, type LoadableSkill } from '../define-tool.ts';
import { parametersOf } from '../tool.ts';

interface Named {
  readonly name: string;
}

declare module '../tool.ts' {
  interface ToolItems {
    readonly skill: Named;
  }

  interface ToolProgresses {
    readonly skill: Named;
  }
}

/** Gives the model the text of a skill when it needs it, so that unused ones cost their description only. */
export const loadSkill = defineTool({
  name: 'load_skill',
  isImplied: ({ skills }) => skills.length > 0,
  price: null,
  items: { skill: outputItem('skill_loaded', { name: Type.String() }, ({ name }: Named) => ({ name })) },
  progress: {
    skill: { event: 'response.skill.loaded', hasThought: false, convert: ({ name }) => ({ name }) },
  },
  open({ skills, onFailure }) {
    if (skills.length === 0) return null;
    const byName = new Map(skills.map((skill) => [skill.name, skill]));
    const list = skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
    return {
      description: `Loads the instructions of a skill. Load one before doing what it is for. Skills:\n${list}`,
      parameters: parametersOf({ name: { type: 'string', enum: [...byName.keys()] } }),
      async run(args, _callId, run) {
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
          // The caller chose the skill: its text is what to do, not data of others.
          text: `Instructions of the skill ${name}:\n\n${instructions.trim()}${files}`,
          isError: false,
          uses: [],
        };
      },
    };
  },
});
