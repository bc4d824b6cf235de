import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createAddressGuard, isPublicAddress } from './guard.ts';

suite('the address guard', () => {
  const guard = createAddressGuard({
    allowHosts: ['intranet', 'Files.Example:8080', '10.0.0.5', '[::1]:9000', 'fd12::7'],
  });

  test('public addresses pass, in both families', () => {
    for (const address of [
      '93.184.216.34',
      '1.1.1.1',
      '172.32.0.1',
      '100.128.0.1',
      '2606:4700::1111',
      '2a00:1450:4001:80b::200e',
    ]) {
      assert.ok(isPublicAddress(address), address);
      assert.ok(guard.mayDial('site.example', 443, [address]), address);
    }
    assert.equal(guard.mayDial('site.example', 443, []), false);
    assert.equal(guard.mayDial('site.example', 443, ['1.1.1.1', '10.0.0.5']), false);
  });

  test('addresses keep what servers need and lose the fragment, the case and the final dot', () => {
    const forms = {
      'HTTPS://Site.Example./a?b=c#d': ['https://site.example/a?b=c', 'site.example', 443],
      'http://site.example:80/': ['http://site.example/', 'site.example', 80],
      'http://site.example:443/': ['http://site.example:443/', 'site.example', 443],
      'https://b\u00fccher.example/\u00fc': [
        'https://xn--bcher-kva.example/%C3%BC',
        'xn--bcher-kva.example',
        443,
      ],
      'http://[2606:4700:0::1111]/': ['http://[2606:4700::1111]/', '2606:4700::1111', 80],
      'http://0x5db8d822/': ['http://93.184.216.34/', '93.184.216.34', 80],
    };
    for (const [text, expected] of Object.entries(forms)) {
      const verdict = guard.checkUrl(text);
      assert.deepEqual(verdict.ok && [verdict.url.href, verdict.host, verdict.port], expected, text);
    }
  });

  test('entries open what they name: names, addresses, ports', () => {
    const open = [
      'http://intranet/',
      'https://INTRANET./',
      'http://files.example:8080/',
      'http://10.0.0.5/',
      'http://[::1]:9000/',
      'https://[fd12::7]/',
    ];
    for (const text of open) assert.ok(guard.checkUrl(text).ok, text);
    const closed = [
      'http://intranet:8080/',
      'http://a.intranet/',
      'http://files.example:81/',
      'http://10.0.0.6/',
      'http://[::1]/',
      'http://[fd12::8]/',
    ];
    for (const text of closed) assert.equal(guard.checkUrl(text).ok, false, text);
    assert.ok(guard.mayDial('intranet', 80, ['192.168.0.7']));
    assert.ok(guard.mayDial('10.0.0.5', 80, ['10.0.0.5']));
    assert.equal(guard.mayDial('10.0.0.5', 8080, ['10.0.0.5']), false);
    assert.equal(guard.mayDial('intranet', 80, ['169.254.169.254']), false);
  });

  test('only an entry with the address itself opens a metadata service', () => {
    const own = createAddressGuard({ allowHosts: ['169.254.169.254'] });
    assert.ok(own.checkUrl('http://169.254.169.254/').ok);
    assert.ok(own.mayDial('169.254.169.254', 80, ['169.254.169.254']));
  });
});
