import { Type, type TSchema } from 'typebox';
import { section } from '../../kernel/config/shape.ts';
import type { RunnerDeclaration } from './runner.ts';

/** The keys, with the names of the runners and what they add. */
export const sandboxKeys = (runners: readonly RunnerDeclaration[]) => ({
  sandbox: section(
    {
      runner: Type.Unsafe<string>(
        Type.Enum(['auto', ...runners.map(({ name }) => name), 'off'], {
          default: 'auto',
          description: 'What runs code of the agent. auto takes what works on this machine.',
        }),
      ),
      ...runners.reduce<Record<string, TSchema>>((all, { keys }) => ({ ...all, ...keys }), {}),
    },
    'The sandbox for code.',
  ),
});
