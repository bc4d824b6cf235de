import { Type } from 'typebox';
import { section } from '../../kernel/config/shape.ts';

export const sandboxKeys = {
  sandbox: section(
    {
      runner: Type.Enum(['auto', 'bubblewrap', 'pyodide', 'off'], {
        default: 'auto',
        description: 'What runs code of the agent. auto takes what works on this machine.',
      }),
    },
    'The sandbox for code.',
  ),
};
