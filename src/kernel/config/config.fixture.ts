import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, type Config } from '../config.ts';
import { configuration } from '../../configuration.ts';

// Shared by the tests of the configuration; nothing else imports it.

/** The file of the design, `design/configuration.md`, word for word. */
export const sample = `
host: 127.0.0.1
port: 8787                      # 0 = any free port, printed
data: ./data                    # folder for the embedded store, index, files, models
database: sqlite                # sqlite | sqlite:PATH | postgres://…
redis: null                     # redis://… shares rate limits between processes
public_url: null
family: svc
aliases: { upstream: true, models: {} }
shutdown_grace_s: 25
log: { level: info, format: auto }        # auto: pretty on a terminal, JSON otherwise
metrics: { port: null }
cors: { origins: [] }
admin_key: null

keys:                           # root keys; NESTOR_ROOT_KEY adds one for account "default"
  - { key: \${MY_KEY}, account: default, credits_purchased_usd: 5000, deny: [] }

rate_limits: { enabled: true, tables: {} }
prices: {}                      # overrides of contract 16

providers:                      # each name is the prefix of its models: name/model
  - name: openai
    type: openai-compatible     # openai-compatible | anthropic | local | ai-sdk
    base_url: https://api.openai.com/v1
    key: \${OPENAI_API_KEY}
    models:                     # "*" asks the server; or a list; an entry may be a string
      - { id: gpt-5.5, context: 400000, price: { input: 1.25, output: 10 }, router: true }
    timeout_s: 120
    headers: {}
  - name: home
    type: local
    path: ./data/models/qwen3-0.6b-q8_0.gguf
detect: true                    # look for provider keys, local servers and GGUF files when \`providers\` is empty

models:                         # what the service's own names run on; an entry may list several, tried in order
  svc: auto
  svc-pro: auto
  svc-reasoning-pro: auto
  svc-deep-research: auto
agent: { roles: { fast: svc/svc, main: svc/svc, deep: svc/svc }, retention_days: 30 }
chat: { timeout_s: 900, think_preamble: true, lenient_roles: false }
async: { workers: 8, retention_days: 7, give_up_after_s: 3600 }
router: { lenient: false }
skills: { max_per_account: 100 }

decisions:
  engine: auto                  # auto | words | local | systemone | logprobs
  served: [svc-decider-v1-27b]
  max_input_tokens: 262144
  timeout_s: 60
  upstreams:                    # systemone and logprobs
    - { url: http://gpu-1:30000, key: null, model: pplx-decider-v1-27b }
  path: null                    # local: a GGUF file
  order: { passes: 1 }          # 1 | 2 | n
  calibration: null             # file written by \`nestor calibrate\`

embeddings:
  engine: auto                  # auto | words | local | openai-compatible
  upstreams: []
  path: null

search:
  engines:                      # tried and merged in this order; corpus is always there
    - { type: searxng, url: http://127.0.0.1:8888 }
    - { type: brave, key: \${BRAVE_API_KEY} }
  timeout_s: 8
  cache_s: 600
outbound:
  allow_hosts: []               # host or host:port that the address guard lets through although private
  user_agent: Nestor
sandbox: { runner: auto }       # auto | bubblewrap | pyodide | off
`;
export const sampleEnv = {
  MY_KEY: 'root-key-of-the-sample',
  OPENAI_API_KEY: 'sk-openai-0123456789',
  BRAVE_API_KEY: 'brave-0123456789',
};

export type Env = Readonly<Record<string, string>>;

/** Loads `text` as c.yaml; without text, an empty folder. */
export function load(text?: string, env: Env = {}): Config {
  const cwd = mkdtempSync(join(tmpdir(), 'nestor-config-'));
  try {
    if (text !== undefined) writeFileSync(join(cwd, 'c.yaml'), text);
    return configuration.load({ env, cwd, file: text === undefined ? undefined : 'c.yaml' });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

export function messageOf(text?: string, env: Env = {}): string {
  try {
    load(text, env);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    assert.ok(!error.message.includes('\n'));
    return error.message;
  }
  return assert.fail('nothing was thrown');
}

/** Without what depends on the folder. */
export function settingsOf({
  dataFolder: _folder,
  configFile: _file,
  serviceVariables: _variables,
  warnings: _warnings,
  ...settings
}: Config): object {
  return settings;
}
