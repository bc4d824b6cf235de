import { exampleBodies } from '../../support/examples.ts';
import type { DescribedOperation } from './source.ts';

const base = 'http://127.0.0.1:8787';
/** Characters of a line of a command, and of JSON in it. */
const lineMax = 120;
const widthMax = 90;

/** Bodies of the administration, and of what needs a value that is known only at the reader's place. */
const moreBodies: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  cancelResponse: {},
  revokeAuthToken: { auth_token: '$TOKEN' },
  adminCreateAccount: { name: 'Acme Ltd' },
  adminUpdateAccount: { name: 'Acme Ltd' },
  adminCreatePurchase: { purchase_id: 'invoice-2026-001', amount_usd: 250 },
  adminCreateKey: { name: 'production' },
  adminAddIndexSource: { location: '$FOLDER' },
  adminCreateDecisionBatch: {
    account_id: '$ACCOUNT_ID',
    file: 'batches/mails.jsonl',
    model: 'svc-decider-v1-27b',
    questions: { refund: { type: 'noul', instructions: 'Is a refund asked for?' } },
  },
  adminPullModel: {},
};

/** What stands for `{name}` of a path; names in capitals are variables of the shell. */
const inPath: Readonly<Record<string, string>> = {
  provider: 'svc',
  model: 'svc%2Fsvc',
  name: 'svc',
  page: 'agent',
  batch_id: '$BATCH_ID',
  receipt_id: '$RECEIPT_ID',
  decider: '$DECIDER',
  example_id: '$EXAMPLE_ID',
  fit_id: '$FIT_ID',
  response_id: '$RESPONSE_ID',
  conversation_id: '$CONVERSATION_ID',
  item_id: '$ITEM_ID',
  file_id: '$FILE_ID',
  skill_id: '$SKILL_ID',
  api_request: '$JOB_ID',
  account_id: '$ACCOUNT_ID',
  key_id: '$KEY_ID',
  job_id: '$JOB_ID',
  source_id: '$SOURCE_ID',
  document_id: '$DOCUMENT_ID',
  model_name: 'minilm',
};

const inQuery: Readonly<Record<string, string>> = {
  expected_revision: '$REVISION',
  revision: '$REVISION',
  expires: '$EXPIRES',
  sig: '$SIGNATURE',
};

/** Parameters that are not required and without which the request would be refused. */
const alwaysSent: Readonly<Record<string, readonly string[]>> = {
  openSkillBundle: ['revision', 'expires', 'sig'],
};

/** A command that sends a small valid request. Throws Error for an operation whose body has no example. */
export function toCurl(operation: DescribedOperation): string {
  const sendsMethod = operation.method !== 'GET' && !(operation.method === 'POST' && operation.body !== null);
  const words = [`curl -s ${sendsMethod ? `-X ${operation.method} ` : ''}${toAddress(operation)}`];
  const key = operation.credentials === 'admin' ? '$NESTOR_ADMIN_KEY' : '$NESTOR_ROOT_KEY';
  if (operation.credentials !== 'none') words.push(`-H "Authorization: Bearer ${key}"`);
  const body = toBodyOption(operation);
  if (body !== null) words.push(body);
  const command = words.join(' ');
  const [longest = ''] = command.split('\n');
  return longest.length <= lineMax ? command : words.join(' \\\n  ');
}

function toAddress({ id, path, parameters }: DescribedOperation): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => valueOf(inPath, name, id));
  const sent = parameters.filter(
    ({ name, in: place, required }) => place === 'query' && (required || alwaysSent[id]?.includes(name)),
  );
  const query = sent.map(({ name }) => `${name}=${valueOf(inQuery, name, id)}`).join('&');
  const address = `${base}${filled}${query === '' ? '' : `?${query}`}`;
  return /[$&?]/.test(address) ? `"${address}"` : address;
}

function valueOf(values: Readonly<Record<string, string>>, name: string, id: string): string {
  const value = values[name];
  if (value === undefined) throw new Error(`${id}: no example of ${name}; add one to example.ts`);
  return value;
}

function toBodyOption({ id, body }: DescribedOperation): string | null {
  if (body === null) return null;
  if (id === 'createDecisionBatch')
    return '-F model=svc-decider-v1-27b -F questions=@questions.json -F file=@rows.jsonl';
  if (body.mediaType === 'multipart/form-data') return '-F file=@skill.zip';
  const example = moreBodies[id] ?? exampleBodies[id];
  if (example === undefined)
    throw new Error(
      `${id}: no body; add one to test/support/examples.ts, or to example.ts for the administration`,
    );
  const text = toJson(example, '');
  return text.includes('$')
    ? `-d "${text.replaceAll('"', String.raw`\"`)}"`
    : `-d '${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** JSON as people write it: what fits into a line stands in one. */
function toJson(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const deeper = `${indent}  `;
  const parts = (inside: string) =>
    Array.isArray(value)
      ? value.map((item) => toJson(item, inside))
      : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${toJson(item, inside)}`);
  const line = `${open}${parts('').join(', ')}${close}`;
  if (line.length + indent.length <= widthMax && !line.includes('\n')) return line;
  return `${open}\n${deeper}${parts(deeper).join(`,\n${deeper}`)}\n${indent}${close}`;
}
