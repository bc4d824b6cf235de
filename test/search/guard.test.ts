import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { suite, test, type TestContext } from 'node:test';
import { openGuardedClient, type GuardedClientOptions } from '../../src/kernel/kit/guarded-client.ts';
import { scriptedDns } from '../support/dns.ts';
import { urlTricks } from '../support/site-tricks.ts';
import { redirectTo, startSite } from '../support/site.ts';
import { hangMs } from '../support/until.ts';

function open(t: TestContext, options: Partial<GuardedClientOptions> = {}) {
  const client = openGuardedClient({ allowHosts: [], userAgent: 'Nestor', ...options });
  t.after(() => client.close());
  const signal = AbortSignal.timeout(hangMs);
  return (url: string, asked: Partial<Parameters<typeof client.fetch>[1]> = {}) =>
    client.fetch(url, { signal, ...asked });
}

/** Counts the sockets that this process opens from now on. */
function countDials(t: TestContext): () => number {
  let count = 0;
  const onSocket = () => void count++;
  subscribe('net.client.socket', onSocket);
  t.after(() => void unsubscribe('net.client.socket', onSocket));
  return () => count;
}

suite('addresses that callers name', () => {
  test('no trick with the address itself is looked up, let alone dialled', async (t) => {
    assert.ok(urlTricks.length >= 60);
    const dns = scriptedDns({});
    const fetch = open(t, { lookup: dns.lookup });
    const dials = countDials(t);
    for (const url of urlTricks) {
      const outcome = await fetch(url);
      assert.equal(outcome.ok ? 'fetched' : outcome.reason, 'refused', url);
    }
    assert.deepEqual(dns.asked, []);
    assert.equal(dials(), 0);
  });

  test('a name with one inner address among its answers is not dialled', async (t) => {
    const inner = [
      '127.0.0.1', '10.1.2.3', '172.20.0.1', '192.168.0.10', '169.254.169.254', '100.64.9.9', '0.0.0.0', '198.18.1.1',
      '168.63.129.16', '224.0.0.251', '255.255.255.255', '::1', '::', '::ffff:10.0.0.1', 'fe80::1', 'fe80::1%eth0',
      'fd00:ec2::254', '64:ff9b::a9fe:a9fe', '2002:7f00:1::1', '2001:0:7f00:1::1', 'ff02::1', 'not an address', '',
    ]; // prettier-ignore
    const answers = inner.map(
      (address, index) => [`n${index}.site.example`, [['93.184.216.34', address]]] as const,
    );
    const dns = scriptedDns(Object.fromEntries(answers));
    const fetch = open(t, { lookup: dns.lookup });
    const dials = countDials(t);
    for (const [host] of answers) {
      const outcome = await fetch(`http://${host}/`);
      assert.equal(outcome.ok ? 'fetched' : outcome.reason, 'refused', host);
    }
    assert.equal(dns.asked.length, inner.length);
    assert.equal(dials(), 0);
  });

  test('a name without an address is a failure of its own', async (t) => {
    const fetch = open(t, { lookup: scriptedDns({ 'empty.site.example': [[]] }).lookup });
    for (const host of ['gone.site.example', 'empty.site.example']) {
      const outcome = await fetch(`https://${host}/`);
      assert.deepEqual(outcome.ok ? null : [outcome.reason, outcome.status], ['dns', null]);
    }
  });
});

suite('names whose answers change', () => {
  test('what was checked is what is dialled: one look-up per connection', async (t) => {
    const site = await startSite(t, { '/': 'one' });
    const dns = scriptedDns({ 'site.example': [['127.0.0.1'], ['127.0.0.2']] });
    const fetch = open(t, { allowHosts: [`site.example:${site.port}`], lookup: dns.lookup });
    const outcome = await fetch(`http://site.example:${site.port}/`);
    assert.equal(outcome.ok && outcome.status, 200);
    assert.deepEqual(dns.asked, ['site.example']);
    assert.deepEqual(
      site.requests.map(({ dialled, headers }) => [dialled, headers.host]),
      [['127.0.0.1', `site.example:${site.port}`]],
    );
  });

  test('an answer that turns inwards between two redirects is refused', async (t) => {
    const site = await startSite(t, {});
    const url = `http://site.example:${site.port}`;
    site.set('/', (_request, response) => {
      response.writeHead(302, { location: `${url}/again`, connection: 'close' });
      response.end();
    });
    const dns = scriptedDns({ 'site.example': [['127.0.0.1'], ['169.254.169.254']] });
    const fetch = open(t, { allowHosts: [`site.example:${site.port}`], lookup: dns.lookup });
    const outcome = await fetch(`${url}/`);
    assert.equal(outcome.ok ? 'fetched' : outcome.reason, 'refused');
    assert.deepEqual(dns.asked, ['site.example', 'site.example']);
    assert.equal(site.connections, 1);
  });
});

suite('hosts that the operator opened', () => {
  test('host:port opens exactly that port, and its neighbours stay closed', async (t) => {
    const [site, other] = [await startSite(t, { '/': 'in' }), await startSite(t, { '/': 'out' })];
    const fetch = open(t, { allowHosts: [site.host] });
    const outcome = await fetch(`${site.url}/`);
    assert.equal(outcome.ok && Buffer.from(outcome.bytes).toString(), 'in');
    for (const url of [
      other.url,
      `http://localhost:${site.port}/`,
      'http://127.0.0.1/',
      `http://[::1]:${site.port}/`,
    ]) {
      const refused = await fetch(url);
      assert.equal(refused.ok ? 'fetched' : refused.reason, 'refused', url);
    }
    assert.equal(other.connections, 0);
  });

  test('host alone opens the two standard ports and no other', async (t) => {
    const site = await startSite(t, { '/': 'in' });
    const dns = scriptedDns({ intranet: [['127.0.0.1']] });
    const fetch = open(t, { allowHosts: ['intranet'], lookup: dns.lookup });
    const refused = await fetch(`http://intranet:${site.port}/`);
    assert.equal(refused.ok ? 'fetched' : refused.reason, 'refused');
    assert.deepEqual(dns.asked, []);
    const dialled = await fetch('http://INTRANET./', { timeoutMs: 2_000 });
    assert.ok(dialled.ok || dialled.reason !== 'refused');
    assert.deepEqual(dns.asked, ['intranet']);
  });

  test('an opened name does not reach the metadata services of clouds', async (t) => {
    const inner = [
      '169.254.169.254',
      'fd00:ec2::254',
      'fe80::1',
      '168.63.129.16',
      '224.0.0.1',
      '::ffff:127.0.0.1',
    ];
    const dns = scriptedDns({ 'files.example': inner.map((address) => [address]) });
    const fetch = open(t, { allowHosts: ['files.example'], lookup: dns.lookup });
    const dials = countDials(t);
    for (const address of inner) {
      const outcome = await fetch('http://files.example/');
      assert.equal(outcome.ok ? 'fetched' : outcome.reason, 'refused', address);
    }
    assert.equal(dials(), 0);
  });

  test('an entry that is no host stops the start', () => {
    for (const entry of ['', 'a b', ':80', 'http://x/']) {
      assert.throws(
        () => openGuardedClient({ allowHosts: [entry], userAgent: 'Nestor' }),
        /neither host nor/,
        entry,
      );
    }
  });
});

suite('redirects', () => {
  test('each is checked again: none leads inside or to another scheme', async (t) => {
    const inside = await startSite(t, { '/': 'secret' });
    const targets = [
      inside.url, 'http://127.0.0.1/', 'http://0x7f.1/', 'http://[::1]/', '//169.254.169.254/', 'file:///etc/passwd',
      'http://localhost/', 'gopher://x/', 'http://a:b@site.example/', 'http://site.example:22/', 'http://[', 'data:,x',
    ]; // prettier-ignore
    const site = await startSite(
      t,
      Object.fromEntries(
        targets.map((target, index) => [
          `/${index}`,
          redirectTo(target, [301, 302, 303, 307, 308][index % 5]),
        ]),
      ),
    );
    const fetch = open(t, { allowHosts: [site.host] });
    for (const [index, target] of targets.entries()) {
      const outcome = await fetch(`${site.url}/${index}`);
      assert.equal(outcome.ok ? 'fetched' : outcome.reason, 'refused', target);
    }
    assert.equal(inside.connections, 0);
  });

  test('five are followed, a sixth is not, and nothing of one request is carried to the next', async (t) => {
    const hops = (count: number, name: string) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`/${name}${at}`, redirectTo(`${name}${at + 1}`)]),
      );
    const site = await startSite(t, { ...hops(5, 'a'), '/a5': 'end', ...hops(6, 'b'), '/b6': 'end' });
    const fetch = open(t, { allowHosts: [site.host] });
    const reached = await fetch(`${site.url}/a0#part`, { validators: { etag: '"1"' } });
    assert.deepEqual(reached.ok && [reached.url, Buffer.from(reached.bytes).toString()], [
      `${site.url}/a5`,
      'end',
    ]);
    assert.deepEqual(
      site.requests.map(({ headers }) => headers['if-none-match']),
      ['"1"', ...Array<undefined>(5)],
    );
    for (const { headers } of site.requests) {
      assert.deepEqual(
        [headers.cookie, headers.referer, headers.authorization],
        [undefined, undefined, undefined],
      );
      assert.equal(headers['user-agent'], 'Nestor');
    }
    const lost = await fetch(`${site.url}/b0`);
    assert.equal(lost.ok ? 'fetched' : lost.reason, 'redirects');
  });
});
