/** A question whose options say nothing, so that only examples can tell which is which. */
export const queueQuestion = {
  type: 'choice',
  instructions: 'Which queue?',
  criteria: { q1: null, q2: null, q3: null },
};

export const queueMessages: Readonly<Record<'q1' | 'q2' | 'q3', readonly string[]>> = {
  q1: [
    'My card was charged twice',
    'Please refund the invoice',
    'I paid too much last month',
    'The payment was declined',
    'Why is there a fee on my bill?',
    'Send me a receipt for the payment',
  ],
  q2: [
    'Where is my parcel?',
    'The package arrived broken',
    'When will my order be delivered?',
    'The courier never came',
    'Please ship it to my new address',
    'My delivery is late',
  ],
  q3: [
    'I forgot my password',
    'I cannot sign in',
    'The login code never arrives',
    'Reset my password, please',
    'My account is locked',
    'How do I change my user name?',
  ],
};

export const queueExamples = Object.entries(queueMessages).flatMap(([answer, texts]) =>
  texts.map((state) => ({ state, question: queueQuestion, answer })),
);
