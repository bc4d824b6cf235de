import { roundsOf } from '../support/rounds.ts';
import { bubblewrap, type Attempt } from './escape.ts';

/** It keeps every core busy for as long. */
const bombMs = roundsOf(1_000, 4_000);

export const bombs: readonly Attempt[] = [
  {
    name: 'a bomb of processes',
    expect: 'ended',
    runners: bubblewrap,
    caps: { wallMs: bombMs },
    code: () => `while True:
    try: os.fork()
    except OSError: pass`,
  },
  {
    name: 'a bomb of processes in bash',
    expect: 'ended',
    runners: bubblewrap,
    language: 'bash',
    caps: { wallMs: bombMs },
    code: () => 'f() { f | f & }; f; while true; do :; done',
  },
  {
    name: 'a bomb of threads',
    expect: 'ended',
    caps: { wallMs: 15_000 },
    code: () => `import threading, time
while True: threading.Thread(target=lambda: time.sleep(100), daemon=True).start()`,
  },
  {
    name: 'a bomb of memory in many processes',
    expect: 'ended',
    runners: bubblewrap,
    caps: { wallMs: 20_000 },
    code: () => `import time
for index in range(4): os.fork()
kept = bytearray(os.urandom(1) * 100_000_000)
time.sleep(60)`,
  },
  {
    name: 'a bomb of processes below threads, which no list of children shows',
    expect: 'ended',
    runners: bubblewrap,
    caps: { wallMs: 20_000 },
    code: () => `import subprocess, threading, time
def start(): subprocess.Popen([sys.executable, '-c', 'import time; kept = b"x" * 200_000_000; time.sleep(60)']).wait()
for index in range(8): threading.Thread(target=start).start()
time.sleep(60)`,
  },
  {
    name: 'a disk full',
    expect: 'refused',
    runners: bubblewrap,
    code: () => `def fill(folder):
    for index in range(10_000): open(f'{folder}/{index}', 'wb').write(b'x' * 1_000_000)
for folder in ('/work', '/tmp', '/dev/shm', '/dev', '/', '/dev/pts', '/usr', '/etc'): attempt(lambda: fill(folder))`,
  },
  {
    name: 'memory in files: many empty ones',
    expect: 'ended',
    runners: bubblewrap,
    caps: { memoryBytesMax: 134_217_728 },
    code: () => `index = 0
while True:
    open(f'/tmp/{index}', 'w').close()
    index += 1`,
  },
  {
    name: 'memory in sockets',
    expect: 'ended',
    runners: bubblewrap,
    caps: { memoryBytesMax: 134_217_728 },
    code: () => `import socket, time
kept = []
for process in range(16):
    if os.fork() == 0: break
for index in range(100):
    pair = socket.socketpair()
    kept.append(pair)
    pair[0].setblocking(False)
    try:
        while True: pair[0].send(b'x' * 100_000)
    except OSError: pass
time.sleep(60)`,
  },
  {
    name: 'a file of a terabyte without content',
    expect: 'blind',
    runners: bubblewrap,
    code: () => `see(lambda: os.truncate(os.open('sparse', os.O_CREAT | os.O_RDWR), 1 << 40))
print('saw nothing')`,
  },
  {
    name: 'folders without end',
    expect: 'blind',
    runners: bubblewrap,
    code: () => `for index in range(3000):
    try:
        os.mkdir('d')
        os.chdir('d')
    except OSError: break
print('saw nothing')`,
  },
  { name: 'a loop without end', expect: 'ended', caps: { cpuMs: 3_000 }, code: () => 'while True: pass' },
  {
    name: 'a loop that ignores its signals',
    expect: 'ended',
    caps: { cpuMs: 3_000 },
    code: () => `import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError, RuntimeError): pass
while True: pass`,
  },
  {
    name: 'recursion without end',
    expect: 'ended',
    caps: { cpuMs: 4_000 },
    code: () => 'sys.setrecursionlimit(10**9)\ndef f(): f()\nf()',
  },
  {
    name: 'a flood on both streams',
    expect: 'ended',
    caps: { outputBytesMax: 1_000 },
    code: () => `while True:
    os.write(1, b'x' * 60_000)
    os.write(2, b'x' * 60_000)`,
  },
];
