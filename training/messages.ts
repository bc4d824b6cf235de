/**
 * Hand-written messages with what holds of them, because the public sets carry no feeling, urgency or refusal.
 * Odd ones are fitted on, even ones are only reported on.
 */
export interface TaggedMessage {
  readonly text: string;
  readonly tags: readonly Tag[];
}

export type Tag = keyof typeof statements;

/** Statements that a tag makes true. The first two are fitted on, the others only reported on. */
export const statements = {
  angry: [
    'The customer is angry',
    'Is the user upset?',
    'The message expresses anger',
    'Is the writer furious?',
  ],
  happy: [
    'The customer is happy',
    'Is the user satisfied?',
    'The message is positive',
    'Is the writer pleased?',
  ],
  urgent: ['The message is urgent', 'Is this an emergency?', 'This needs immediate attention'],
  refund: [
    'Is the customer asking for a refund?',
    'The user wants their money back',
    'The customer requests a refund',
  ],
  hours: ['Is the customer asking about opening hours?', 'The user asks when the store opens'],
  cancel: ['Does the customer want to cancel?', 'The user asks to close their account or subscription'],
  delivery: ['Is the message about delivery or shipping?', 'The customer asks where their package is'],
  technical: ['Is this a technical problem?', 'The user reports a bug or an error', 'The app is not working'],
  billing: ['Is this about billing or an invoice?', 'The customer was charged incorrectly'],
  login: ['Is the user unable to log in?', 'This is about a password or account access'],
  price: ['Is the customer asking about the price?', 'The user asks how much it costs'],
} as const;

const m = (text: string, ...tags: readonly Tag[]): TaggedMessage => ({ text, tags });

export const messages: readonly TaggedMessage[] = [
  m('I want my money back', 'refund'),
  m('Please refund my last order, I never received it', 'refund', 'delivery'),
  m('What time do you open on Sunday?', 'hours'),
  m('Are you open on public holidays?', 'hours'),
  m('This is outrageous, I have been waiting three weeks and nobody answers!', 'angry'),
  m('I am absolutely furious about how your staff treated me', 'angry'),
  m('Thank you so much, everything was perfect', 'happy'),
  m('Great product, my kids love it', 'happy'),
  m('Our production server is down, please fix it immediately', 'urgent', 'technical'),
  m('There is water everywhere, send someone right now!', 'urgent'),
  m('Please cancel my subscription at the end of the month', 'cancel'),
  m('I would like to close my account', 'cancel'),
  m('Where is my package? The tracking page has not changed since Monday', 'delivery'),
  m('How long does shipping to Canada take?', 'delivery'),
  m('The app crashes every time I open the camera', 'technical'),
  m('I get an error 500 when I save the document', 'technical'),
  m('You charged my card twice this month', 'billing'),
  m('The amount on my invoice is wrong', 'billing'),
  m('I forgot my password and the reset mail does not arrive', 'login'),
  m('I am locked out of my account', 'login'),
  m('How much is the premium plan per month?', 'price'),
  m('What does the yearly subscription cost?', 'price'),
  m('Worst service ever, I hate dealing with you people', 'angry'),
  m('Your driver was rude and threw my parcel over the fence, unacceptable', 'angry', 'delivery'),
  m('I am so glad I switched to you, the support team is wonderful', 'happy'),
  m('The room was lovely and the staff were very kind', 'happy'),
  m('I need this solved today, the deadline is in two hours', 'urgent'),
  m('My card was stolen, block it at once, this is an emergency', 'urgent'),
  m('I returned the shoes last week, when will I be reimbursed?', 'refund'),
  m('The blender arrived broken and I demand a full refund', 'refund', 'angry'),
  m('Could you tell me whether the museum is closed on Mondays?', 'hours'),
  m('Until when is the pharmacy open tonight?', 'hours'),
  m('The login button does nothing when I press it', 'technical', 'login'),
  m('Video playback freezes after a few seconds', 'technical'),
  m('Do you have this jacket in blue?'),
  m('I would like to book a table for four on Friday'),
  m('Can I bring my dog to the hotel?'),
  m('My name is spelled incorrectly on the ticket'),
  m('I am not angry, I just want to know what happened'),
  m('I do not want a refund, just a replacement'),
  m('No rush, whenever you have time'),
  m('It is not urgent, you can answer next week'),
  m('The food was not good and I am not happy', 'angry'),
  m('I never said I was unhappy with the service, it works fine', 'happy'),
  m('Please send me the invoice for March', 'billing'),
  m('Why is there an extra fee on my bill?', 'billing'),
  m('I do not want my money back, I want the thing to work', 'technical'),
  m('This is not about the delivery, the parcel came on time'),
  m('I do not want to cancel anything, I only have a question'),
  m('I never asked for a refund'),
  m('I am not upset at all, thank you', 'happy'),
  m('I do not need it urgently'),
  m('I have not received my refund yet', 'refund'),
  m('I have not got my order', 'delivery'),
  m('Please do not close my account'),
  m('It does not work, the screen stays black', 'technical'),
  m('Is there a discount for students?', 'price'),
  m('What is the price of a single ticket?', 'price'),
];

/** Messages placed on scales, from 0 (low) to 1 (high). */
export const placed: readonly {
  readonly text: string;
  readonly scale: 'urgency' | 'satisfaction';
  readonly place: number;
}[] = [
  { text: 'Whenever you have time, no rush', scale: 'urgency', place: 0 },
  { text: 'Could you look at this next week?', scale: 'urgency', place: 0.2 },
  { text: 'I have a question about my invoice', scale: 'urgency', place: 0.3 },
  { text: 'Please answer soon, it is important', scale: 'urgency', place: 0.65 },
  { text: 'The whole site is down, fix it immediately, this is critical', scale: 'urgency', place: 1 },
  { text: 'Emergency! We need help right now', scale: 'urgency', place: 1 },
  { text: 'Horrible, I hate it, worst purchase of my life', scale: 'satisfaction', place: 0 },
  { text: 'The quality is poor and it broke quickly', scale: 'satisfaction', place: 0.2 },
  { text: 'It arrived on Tuesday', scale: 'satisfaction', place: 0.5 },
  { text: 'It is good, works well', scale: 'satisfaction', place: 0.75 },
  { text: 'Absolutely love it, the best thing I ever bought', scale: 'satisfaction', place: 1 },
];

export const scales = {
  urgency: {
    question: 'How urgent is this message?',
    levels: ['Not urgent at all', 'Slightly urgent', 'Moderately urgent', 'Urgent', 'Extremely urgent'],
  },
  satisfaction: {
    question: 'How satisfied is the customer?',
    levels: ['Very dissatisfied', 'Dissatisfied', 'Neutral', 'Satisfied', 'Very satisfied'],
  },
} as const;
