import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { skillText, skillZip } from '../support/zip.ts';

/** A page of the console as somebody sees it who works with it. */
export interface Scene {
  readonly name: string;
  /** Below /console. */
  readonly path: string;
  /** Brings it there from what the address shows. */
  readonly reach?: (page: Page) => Promise<void>;
  /** The button that the page is for. */
  readonly main?: string;
  /** What somebody does there with the keyboard alone, one after the other, and what shows then that did not show before. */
  readonly flow?: {
    /** Where that is not the path of the scene. */
    readonly path?: string;
    readonly keys: readonly Keystrokes[];
    readonly shows: RegExp;
  };
}

/** Text for a field, or Enter on a button or link, after which a file may be asked for. */
export type Keystrokes =
  | { readonly field: string; readonly text: string }
  | { readonly enter: string | RegExp; readonly file?: KeyboardFile };

interface KeyboardFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

const table: KeyboardFile = {
  name: 'two.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from('text\nWhere is my parcel?\nI was charged twice.\n'),
};

const skill: KeyboardFile = {
  name: 'skill.zip',
  mimeType: 'application/zip',
  buffer: skillZip([], skillText.replace('weekly-report', 'made-by-keyboard')),
};

const folder = fileURLToPath(new URL('../../packaging', import.meta.url));

const press = (name: string) => async (page: Page) =>
  page.getByRole('main').getByRole('button', { name, exact: true }).click();

/** The decider that `fillServer` makes. */
const decider = 'shop-topics';
/** One more, which nobody has looked at. */
const other = 'shop-topics-two';

/** Every page, where it has content with some: `fillServer` gives the server what they show. */
export const scenes: readonly Scene[] = [
  {
    name: 'first-steps',
    path: '/first-steps',
    main: 'Decide',
    flow: { keys: [{ enter: 'Decide' }], shows: /^Taken from the link\.$/ },
  },
  {
    name: 'decide',
    main: 'Ask',
    flow: { keys: [{ enter: 'Ask' }], shows: /^Answered\.$/ },
    path: '/decide',
    async reach(page) {
      await press('Ask')(page);
      await page.getByRole('heading', { name: 'Answers' }).waitFor();
      await page.getByText('billing', { exact: true }).first().waitFor();
      // Also where they stand below the questions.
      await page.waitForFunction(() => {
        const { top, bottom } =
          document.querySelector('#decide-answers')?.getBoundingClientRect() ?? new DOMRect(0, -1);
        return top >= 0 && bottom <= innerHeight / 2;
      });
    },
  },
  {
    name: 'deciders',
    path: '/deciders',
    main: 'New decider',
    flow: { keys: [{ enter: 'New decider' }], shows: /^Make the decider$/ },
  },
  {
    name: 'decider-new',
    path: '/deciders/NEW',
    main: 'Make the decider',
    flow: {
      keys: [{ field: 'Name', text: 'made-by-keyboard' }, { enter: 'Make the decider' }],
      shows: /^made-by-keyboard$/,
    },
  },
  {
    name: 'decider',
    path: `/deciders/${decider}?open=learning`,
    main: 'Learn from 12 examples',
    flow: {
      path: `/deciders/${other}?open=learning`,
      keys: [{ enter: 'Learn from 12 examples' }],
      shows: /^Before and after$/,
    },
  },
  {
    name: 'decider-learned',
    path: `/deciders/${decider}?open=learning`,
    async reach(page) {
      // In the second look it was learned already.
      if ((await page.getByRole('heading', { name: 'Before and after' }).count()) === 0)
        await press('Learn from 12 examples')(page);
      await page.getByRole('heading', { name: 'Calibration' }).waitFor();
      await page.getByRole('heading', { name: 'Calibration' }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'batches',
    path: '/batches',
    main: 'Choose a file',
    flow: {
      keys: [{ enter: 'Choose a file', file: table }, { enter: 'Send the batch' }],
      shows: /You may leave this page/,
    },
  },
  {
    name: 'chat',
    main: 'Ask',
    flow: {
      keys: [{ field: 'Question', text: 'Where do the keys of the van hang?' }, { enter: 'Ask' }],
      shows: /^Complete, with \d+ sources?\.$/,
    },
    path: `/chat?ask=${encodeURIComponent('Where do the keys of the delivery van hang?')}`,
    async reach(page) {
      await press('Ask')(page);
      await page
        .getByText(/^Complete, with \d+ sources?\.$/)
        .last()
        .waitFor();
    },
  },
  {
    name: 'agent',
    path: '/agent',
    main: 'Run',
    flow: {
      keys: [{ field: 'Input', text: 'Where do the keys of the van hang?' }, { enter: 'Run' }],
      shows: /^Complete\.$/,
    },
  },
  {
    name: 'search',
    main: 'Search',
    flow: {
      path: '/search',
      keys: [{ field: 'What to look for', text: 'red hook' }, { enter: 'Search' }],
      shows: /^\d+ pages? in \d+ ms$/,
    },
    path: '/search?q=delivery+van',
    async reach(page) {
      await page.getByText(/^\d+ pages? in \d+ ms$/).waitFor();
    },
  },
  { name: 'usage', path: '/usage' },
  {
    name: 'keys',
    path: '/keys',
    main: 'Make a token',
    flow: {
      keys: [{ field: 'Name of the new token', text: 'made by keyboard' }, { enter: 'Make a token' }],
      shows: /^Copy the token now/,
    },
  },
  {
    name: 'jobs',
    path: '/jobs',
    main: 'Create the job',
    flow: {
      keys: [{ field: 'Question', text: 'Where do the ladders stand?' }, { enter: 'Create the job' }],
      shows: /^Where do the ladders stand\?$/,
    },
  },
  {
    name: 'skills',
    path: '/skills',
    flow: {
      keys: [{ enter: 'Add a skill', file: skill }, { enter: 'Send' }],
      shows: /^made-by-keyboard$/,
    },
  },
  {
    name: 'documents',
    path: '/documents',
    main: 'Add the text',
    flow: {
      keys: [{ field: 'Text', text: 'Ladders stand behind the counter.' }, { enter: 'Add the text' }],
      shows: /can be found now\.$/,
    },
  },
  {
    name: 'index',
    path: '/index',
    main: 'Add',
    flow: {
      keys: [{ field: 'Folder on the server, or address', text: folder }, { enter: 'Add' }],
      shows: new RegExp(`^${RegExp.escape(folder)}$`),
    },
  },
  {
    name: 'models',
    path: '/models',
    main: 'Ask a small question of each',
    flow: {
      keys: [{ enter: 'Ask a small question of each' }],
      shows: /^Decisions by .*: answered by the engine/,
    },
  },
  { name: 'docs', path: '/docs/guide/decisions' },
  {
    name: 'palette',
    path: '/usage',
    async reach(page) {
      await page.keyboard.press('ControlOrMeta+K');
      await page.getByRole('combobox', { name: 'Command, page or words to look for' }).fill('revoke a token');
      await page.getByRole('group', { name: 'Documentation' }).waitFor();
    },
  },
];

/** Opens a scene and waits until it is there. */
export async function openScene(page: Page, url: string, { path, reach }: Scene): Promise<void> {
  await page.goto(`${url}/console${path}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle');
  await reach?.(page);
  await page.waitForLoadState('networkidle');
}

const messages = [
  ['I was charged twice this month.', 'billing'],
  ['Please send me the invoice again.', 'billing'],
  ['The amount on my receipt is wrong.', 'billing'],
  ['Can I pay by bank transfer?', 'billing'],
  ['Where is my parcel? It was due on Monday.', 'delivery'],
  ['The package came with a broken lid.', 'delivery'],
  ['Can you bring it to my office instead?', 'delivery'],
  ['How long does shipping to Spain take?', 'delivery'],
  ['I cannot sign in any more.', 'login'],
  ['The link to reset my password has expired.', 'login'],
  ['Someone else has used my account.', 'login'],
  ['It says that my password is wrong.', 'login'],
] as const;

const topic = {
  type: 'choice',
  instructions: 'What is the message about?',
  criteria: { billing: 'charges, invoices', delivery: 'parcels, shipping', login: 'passwords, accounts' },
} as const;

const documents = [
  {
    title: 'Keys of the van',
    text: '# Keys of the van\n\nThe keys of the delivery van hang beside the fire exit, on the red hook.',
    url: 'https://wiki.example.com/van',
  },
  { title: 'Returns', text: 'Parcels that come back are put on shelf seven until the customer was called.' },
];

/** Sends what the scenes show, by published operations alone. */
export async function fillServer(url: string, key: string): Promise<void> {
  const send = async (method: string, path: string, body: object): Promise<Response> => {
    const isForm = body instanceof FormData;
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
      body: isForm ? body : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const model = 'svc-decider-v1-27b';
  for (const document of documents) await send('POST', '/v1/index/documents', document);
  for (const [state] of messages) await send('POST', '/v1/decisions', { model, state, questions: { topic } });
  const examples = messages.map(([state, answer]) => ({ state, question: topic, answer }));
  for (const name of [decider, other]) {
    await send('PUT', `/v1/deciders/${name}`, { engine: 'encoder' });
    await send('POST', `/v1/deciders/${name}/examples`, { examples });
  }
  await send('POST', '/async/chat/completions', {
    request: { model: 'svc', messages: [{ role: 'user', content: 'Where are returned parcels put?' }] },
  });
  await send('POST', '/generate_auth_token', { token_name: 'billing service' });
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(skillZip())]), 'skill.zip');
  await send('POST', '/v1/skills', form);
}
