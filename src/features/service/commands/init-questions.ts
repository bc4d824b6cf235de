import type { FoundModels } from '../../models/feature.ts';
import { openAsker, type Asker, type Question } from '../../../kernel/commands/ask-person.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import {
  keyedSearches,
  parseAccess,
  parseAddress,
  parseSearch,
  parseSource,
  parseStore,
  type Answers,
} from './init-answers.ts';

/** What the options of the command say. */
interface InitValues {
  readonly answers?: string | undefined;
  readonly listen?: string | undefined;
  readonly access?: string | undefined;
  readonly search?: string | undefined;
  readonly store?: string | undefined;
  readonly yes: boolean;
  readonly config?: string | undefined;
}

/** The five questions, answered by options, by a person, or by what is usual. Null where the person has left. */
export async function askAnswers(values: InitValues, context: CommandContext): Promise<Answers | null> {
  // Options are right or wrong before anybody is asked.
  const given = {
    source: parsed(values.answers, parseSource),
    listen: parsed(values.listen, parseAddress),
    access: parsed(values.access, parseAccess),
    search: parsed(values.search, parseSearch),
    store: parsed(values.store, parseStore),
  };
  const config = await context.load(values.config);
  const found =
    given.source === null && config.detect ? await context.findModels(config, context.signal) : [];
  const person = values.yes ? usualAnswers : openAsker(context);
  try {
    const source = given.source ?? (await person.ask(aboutSource(found)));
    if (source === null) return null;
    const listen = given.listen ?? (await person.ask(aboutListening));
    if (listen === null) return null;
    const access = given.access ?? (await person.ask(aboutAccess));
    if (access === null) return null;
    const search = given.search ?? (await person.ask(aboutSearch));
    if (search === null) return null;
    const store = given.store ?? (await person.ask(aboutStore));
    return store === null ? null : { source, listen, access, search, store };
  } finally {
    person.close();
  }
}

const parsed = <Answer>(text: string | undefined, parse: (given: string) => Answer): Answer | null =>
  text === undefined ? null : parse(text);

/** Takes the first choice of every question. */
const usualAnswers: Asker = {
  ask: ({ choices, parse }) => Promise.resolve(parse(choices[0]?.given ?? '')),
  close: () => undefined,
};

/** What is on this machine comes before what ships; a service that is paid is never the usual answer. */
function aboutSource(found: readonly FoundModels[]): Question<Answers['source']> {
  const choices = found.map((one) => {
    if (one.kind === 'file') return { given: one.path, text: `the model file ${one.path}, found here` };
    if (one.kind === 'server') return { given: one.name, text: `${one.name} at ${one.baseUrl}, found here` };
    return { given: one.name, text: `the service ${one.name}, with the key in ${one.from}` };
  });
  const isService = (given: string) => found.some(({ kind, name }) => kind === 'service' && name === given);
  return {
    title: '1. What answers?',
    choices: [
      ...choices.filter(({ given }) => !isService(given)),
      {
        given: 'built-in',
        text: 'what ships with Nestor: no key, no model; it quotes and compares, and writes nothing',
      },
      ...choices.filter(({ given }) => isService(given)),
    ],
    other: 'a path of a .gguf file, the address of a server, or a service such as openai',
    parse: parseSource,
  };
}

const aboutListening: Question<Answers['listen']> = {
  title: '2. Where does it listen?',
  choices: [
    { given: '127.0.0.1:8787', text: 'at 127.0.0.1:8787, which only this machine reaches' },
    { given: '0.0.0.0:8787', text: 'at 0.0.0.0:8787, every address of this machine' },
  ],
  other: 'HOST:PORT',
  parse: parseAddress,
};

const aboutAccess: Question<Answers['access']> = {
  title: '3. Who may use it?',
  choices: [
    { given: 'one', text: 'you, with a key that the first start makes and shows once' },
    { given: 'key', text: 'you, with a key that you choose, in NESTOR_ROOT_KEY' },
    { given: 'accounts', text: 'others too: accounts with keys and limits, run with NESTOR_ADMIN_KEY' },
  ],
  other: null,
  parse: parseAccess,
};

const aboutSearch: Question<Answers['search']> = {
  title: '4. What do searches find, beside your own index?',
  choices: [
    { given: 'own', text: 'nothing: the own index alone, and no request leaves the machine' },
    { given: 'open', text: 'articles and people, from OpenAlex and Wikidata, which need no key' },
    ...[...keyedSearches].map(([given, variable]) => ({
      given,
      text: `the web by ${given}, with the key in ${variable}`,
    })),
  ],
  other: 'the address of a SearXNG of yours',
  parse: parseSearch,
};

const aboutStore: Question<Answers['store']> = {
  title: '5. Where is everything kept?',
  choices: [
    { given: 'sqlite', text: 'in a file in the data folder' },
    { given: 'postgres', text: 'in PostgreSQL, whose address is in NESTOR_DATABASE_URL' },
  ],
  other: null,
  parse: parseStore,
};
