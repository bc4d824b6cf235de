/**
 * Messages placed by hand on two scales, from 0 (low) to 4 (high), to see whether answers rank them. Written before
 * the engine was first run on them, and never fitted on: change the scorer, not this list.
 */
export interface Ranked {
  readonly place: 0 | 1 | 2 | 3 | 4;
  readonly text: string;
}

const r = (place: Ranked['place'], text: string): Ranked => ({ place, text });

export const sentiment: readonly Ranked[] = [
  r(0, 'Two hours on hold and then they hung up on me. I am done with this company.'),
  r(0, 'The worst hotel we have ever stayed in, cockroaches in the bathroom.'),
  r(0, 'You ruined our wedding, the cake never came and nobody apologised.'),
  r(0, 'I hate this update, it deleted all of my photos.'),
  r(0, 'Total garbage, it died after one day and the seller refuses to reply.'),
  r(0, 'Absolutely disgusting food, we were both ill afterwards.'),
  r(1, 'The soup was lukewarm and the waiter forgot our drinks.'),
  r(1, 'Delivery took longer than promised, a bit annoying.'),
  r(1, 'The manual is confusing and two screws were missing.'),
  r(1, 'I expected more for this price.'),
  r(1, 'The new layout makes it harder to find things.'),
  r(1, 'Sound quality is rather weak and the cable is too short.'),
  r(2, 'My order contains three shirts, size medium.'),
  r(2, 'The meeting has been moved to Thursday at ten.'),
  r(2, 'Which bus goes from the station to the museum?'),
  r(2, 'The phone has a black case and a 6 inch screen.'),
  r(2, 'I would like to change the address on my account.'),
  r(2, 'It does what the description says, nothing more and nothing less.'),
  r(3, 'Decent shoes, comfortable enough for a day in the city.'),
  r(3, 'The room was clean and the breakfast was good.'),
  r(3, 'Thanks, the second link worked for me.'),
  r(3, 'The staff were friendly and check-in was quick.'),
  r(3, 'I like the colour and it was easy to set up.'),
  r(3, 'Pretty nice app, I use it most days.'),
  r(4, 'I am thrilled, this is the best camera I have owned in my whole life!'),
  r(4, 'Your team went out of its way to help us, we are so grateful.'),
  r(4, 'What a fantastic evening, every single dish was delicious.'),
  r(4, 'My daughter adores it and has not put it down since her birthday.'),
  r(4, 'Brilliant service, I will tell all of my friends.'),
  r(4, 'Simply perfect, five stars, I would buy it again tomorrow.'),
];

export const urgency: readonly Ranked[] = [
  r(0, 'Just a thought for a future version: a dark theme would be lovely.'),
  r(0, 'No hurry at all, answer when it suits you.'),
  r(0, 'I wanted to say that I enjoyed your newsletter.'),
  r(0, 'Out of curiosity, where does the name of your company come from?'),
  r(0, 'Sometime next year we may think about a bigger plan.'),
  r(0, 'Feel free to ignore this, it is only a small suggestion.'),
  r(1, 'Could you send me last year’s statement when you get a chance?'),
  r(1, 'There is a spelling mistake on your contact page.'),
  r(1, 'What colours does the sofa come in?'),
  r(1, 'I would like to know more about your courses in autumn.'),
  r(1, 'Please add me to the mailing list.'),
  r(1, 'The icon looks slightly blurred on my second screen.'),
  r(2, 'My invoice shows the wrong address, please correct it.'),
  r(2, 'I have not received the confirmation mail for my booking.'),
  r(2, 'The export to PDF leaves out the last page.'),
  r(2, 'Can you move my appointment to another day this month?'),
  r(2, 'The discount code that you sent does not work.'),
  r(2, 'One of the chairs came with a scratch, I would like a replacement.'),
  r(3, 'I need the contract by tomorrow morning, please hurry.'),
  r(3, 'We cannot log in and the presentation starts this afternoon.'),
  r(3, 'My flight leaves tonight and the ticket has the wrong name.'),
  r(3, 'The heating failed and it is below zero outside, please come today.'),
  r(3, 'Payments have been failing since noon and customers are complaining.'),
  r(3, 'Please call me back as soon as possible, the deadline is Friday.'),
  r(4, 'Someone is emptying my bank account right now, block everything immediately!'),
  r(4, 'Smoke is coming out of the machine, we need help at once!'),
  r(4, 'Production is completely down for all customers, every minute costs us thousands.'),
  r(4, 'My father has collapsed and is not breathing, send an ambulance!'),
  r(4, 'Emergency: gas leak in the building, people are still inside.'),
  r(4, 'URGENT critical breach, attackers are downloading our database this very moment.'),
];

export const rankings = [
  {
    name: 'sentiment',
    messages: sentiment,
    question: 'How positive is the message?',
    levels: ['very negative', 'negative', 'neutral', 'positive', 'very positive'],
  },
  {
    name: 'urgency',
    messages: urgency,
    question: 'How urgent is the message?',
    levels: ['can wait for ever', 'low', 'normal', 'high', 'critical, act at once'],
  },
] as const;
