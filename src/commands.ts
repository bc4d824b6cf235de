import { withForm, type Command } from './kernel/commands/command.ts';
import { commands as accounts } from './features/accounts/commands/index.ts';
import { answersForm, commands as client } from './features/client/commands/index.ts';
import { commands as decisions } from './features/decisions/commands/index.ts';
import { commands as corpus } from './features/index/commands/index.ts';
import { commands as jobs } from './features/jobs/commands/index.ts';
import { commands as mcp } from './features/mcp/commands/index.ts';
import { commands as models } from './features/models/commands/index.ts';
import { commands as verification } from './features/verification/commands/index.ts';
import { commands as service } from './features/service/commands/index.ts';

export { greet } from './features/service/commands/index.ts';

/**
 * All commands in the order of `nestor --help`. Apart from the features: a server is a thousand modules more, which a
 * command that calls one over HTTP never loads.
 */
export const commands: readonly Command[] = [
  ...accounts,
  ...models,
  ...withForm(decisions, answersForm),
  ...verification,
  ...jobs,
  ...corpus,
  ...client,
  ...mcp,
  ...service,
];
