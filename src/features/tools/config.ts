import { Type } from 'typebox';
import type { FeatureConfig } from '../../kernel/config.ts';
import {
  entry,
  headers,
  nullable,
  secret,
  section,
  text,
  timeout,
  toggle,
  url,
} from '../../kernel/config/shape.ts';

const McpServer = entry(
  {
    name: Type.String({
      pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$',
      allowed: '1 to 64 characters of A-Z, a-z, 0-9, _ and -, the first a letter',
      description: 'The `server_label` under which requests may name it without its address.',
    }),
    url: url('Its address, of the transport Streamable HTTP.'),
    key: nullable(secret('API key.'), 'Sent as a bearer token; null sends none.'),
    headers: headers('Further headers of every request to it.'),
    allowed_tools: nullable(Type.Array(text('A tool.')), 'The tools of it that may be called; null is all.'),
    timeout_s: timeout(60, 'Longest wait for one answer of it.'),
  },
  'A server of the Model Context Protocol whose tools the agent may call.',
);

export const toolKeys = {
  mcp: section(
    {
      servers: Type.Array(McpServer, {
        default: [],
        description: 'Servers whose tools requests of `/openai/v1/responses` may ask for.',
      }),
      any_public: toggle(false, 'Whether requests may name any other server with a public address.'),
    },
    'Tools of other servers, by the Model Context Protocol.',
  ),
};

export const toolConfig: FeatureConfig = {
  keys: toolKeys,
  check({ mcp: { servers } }, fail) {
    const firstNames = new Map<string, number>();
    for (const [index, { name }] of servers.entries()) {
      const first = firstNames.get(name);
      if (first !== undefined)
        fail(
          `mcp.servers[${index}].name`,
          `is "${name}", as mcp.servers[${first}].name; allowed: every name once`,
        );
      firstNames.set(name, index);
    }
  },
};
