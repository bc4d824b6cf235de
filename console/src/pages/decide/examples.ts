import { newLevel, newOption, newQuestion, plain, type QuestionDraft, type Value } from './draft.ts';

export interface Example {
  readonly label: string;
  readonly state: Value;
  readonly questions: readonly QuestionDraft[];
}

/** Ready to be asked. Each shows another kind of question first. */
export const examples: readonly Example[] = [
  {
    label: 'Refund request',
    state: plain(
      'Order 4411. I was charged twice for the same pair of shoes. Please refund the second payment to my card.',
    ),
    questions: [
      noul(1, 'refund', 'Does the customer ask for a refund?'),
      choice(2, 'topic', 'What is this about?', [
        ['billing', 'charges, invoices, payments'],
        ['delivery', 'shipping and parcels'],
        ['login', 'passwords and access to the account'],
      ]),
      score(3, 'anger', 'How angry is the customer?', ['calm', 'annoyed', 'furious']),
    ],
  },
  {
    label: 'Triage a ticket',
    state: plain(
      'Since the update this morning nobody in our office can open the report page. It shows an error and stays blank.',
    ),
    questions: [
      choice(1, 'team', 'Which team should take this ticket?', [
        ['engineering', 'software that fails, errors, bugs after an update'],
        ['accounts', 'invoices, payments, contracts'],
        ['sales', 'offers, prices, new licences'],
        ['training', 'questions how something is done'],
      ]),
      noul(2, 'error', 'Does the customer report an error?'),
    ],
  },
  {
    label: 'How urgent',
    state: plain(
      'Water is running through the ceiling of the server room. We have switched off two racks; please send somebody now.',
    ),
    questions: [
      score(1, 'urgency', 'How urgent is this?', [
        'can wait for weeks',
        'should be done within days',
        'needs somebody today',
        'emergency: somebody has to come at once',
      ]),
      noul(2, 'visit', 'Is somebody asked to come?'),
    ],
  },
];

function noul(id: number, name: string, instructions: string): QuestionDraft {
  return { ...newQuestion(id, 'noul', name), instructions: plain(instructions) };
}

function choice(
  id: number,
  name: string,
  instructions: string,
  options: readonly (readonly [string, string])[],
): QuestionDraft {
  return {
    ...newQuestion(id, 'choice', name),
    instructions: plain(instructions),
    options: options.map(([option, description], at) => newOption(at + 1, option, plain(description))),
  };
}

function score(id: number, name: string, instructions: string, levels: readonly string[]): QuestionDraft {
  return {
    ...newQuestion(id, 'score', name),
    instructions: plain(instructions),
    levels: levels.map((level, at) => newLevel(at + 1, plain(level))),
  };
}
