import { readNames, type ServerNames, clientUsage, clientCommand } from '../../client/feature.ts';
import { serveStdio } from '../stdio.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';

const usage = `nestor mcp: the tools decide, search, ask and research for programs that speak the Model Context Protocol

  nestor mcp                              serve one client over standard input and output
  nestor mcp --url https://nestor.example --key …

It passes calls on to a server, which has to run. A client that starts it for itself is configured like this:

  { "mcpServers": { "nestor": { "command": "nestor", "args": ["mcp"], "env": { "NESTOR_KEY": "…" } } } }

Clients that speak streamable HTTP need no command: their address is /mcp of the server, with your key as bearer token.

${clientUsage.replace(/^ {2}--json.*\n/, '')}
See docs/guide/mcp.md.`;

/** `nestor mcp`. Resolves to the exit code when the client has gone. */
export const runMcp = clientCommand({
  name: 'mcp',
  usage,
  options: {},
  plan({ values, words }, context) {
    const [extra] = words;
    if (extra !== undefined) throw new UsageError(`Unexpected argument "${extra}".`);
    if (values.json) throw new UsageError('--json is no option of mcp.');
    return async (client) => {
      let known: ServerNames | null = null;
      await serveStdio({
        version: context.version,
        input: context.stdin,
        output: context.stdout,
        api: client,
        // Asked once: a server keeps its names until it restarts, and then a name that is gone is an error.
        names: async (signal) => (known ??= await readNames(client, signal)),
        signal: context.signal,
        onError: (error) =>
          void context.err.write(
            `nestor mcp: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
          ),
      });
      return context.signal.aborted ? exitCodes.interrupted : exitCodes.done;
    };
  },
});
