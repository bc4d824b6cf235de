import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSeccomp } from './seccomp.ts';

const allow = 0x7fff_0000;
const notPermitted = 0x0005_0001;
const notThere = 0x0005_0026;

/** Runs a filter as the kernel does. */
function decide(program: Buffer, machine: number, number: number, argument = 0): number {
  const words = new Map([
    [0, number],
    [4, machine],
    [16, argument],
  ]);
  let value = 0;
  for (let at = 0; at < program.length; at += 8) {
    const code = program.readUInt16LE(at);
    const k = program.readUInt32LE(at + 4);
    if (code === 0x06) return k;
    if (code === 0x20) {
      value = words.get(k) ?? NaN;
      continue;
    }
    const isMet = code === 0x15 ? value === k : code === 0x35 ? value >= k : (value & k) !== 0;
    at += 8 * program.readUInt8(at + (isMet ? 2 : 3));
  }
  throw new Error('the filter has no end');
}

const machines = [
  { arch: 'x64', audit: 0xc000_003e, socket: 41, clone: 56, pair: 53, ptrace: 101, read: 0, openat: 257 },
  {
    arch: 'arm64',
    audit: 0xc000_00b7,
    socket: 198,
    clone: 220,
    pair: 199,
    ptrace: 117,
    read: 63,
    openat: 56,
  },
];
for (const { arch, audit, socket, clone, pair, ptrace, read, openat } of machines) {
  const program = toSeccomp(arch);
  assert.ok(program !== null);
  const call = (number: number, argument?: number) => decide(program, audit, number, argument);

  test(`${arch}: what programs need is allowed`, () => {
    for (const number of [read, openat]) assert.equal(call(number), allow);
    assert.equal(call(clone, 0x0100_0011), allow);
    assert.equal(call(pair, 1), allow);
  });

  test(`${arch}: sockets, tracing and namespaces are not`, () => {
    for (const number of [socket, ptrace]) assert.equal(call(number), notPermitted);
    for (let bit = 25; bit <= 30; bit++) assert.equal(call(clone, (1 << bit) | 17), notPermitted);
    assert.equal(call(clone, 0x0002_0000), notPermitted);
    assert.equal(call(pair, 40), notPermitted);
    assert.equal(call(435), notThere);
  });

  test(`${arch}: calls of other machines and of the second interface are not`, () => {
    assert.equal(decide(program, 0x4000_0003, read), notPermitted);
    assert.equal(call(0x4000_0000 + socket), notPermitted);
  });
}

test('a machine whose numbers are not known has no filter', () => {
  assert.equal(toSeccomp('riscv64'), null);
});
