import { bubblewrap, type Attempt } from './escape.ts';

export const processes: readonly Attempt[] = [
  {
    name: 'signals to the server',
    expect: 'refused',
    runners: bubblewrap,
    code: ({ pid }) => `import signal
for number in (signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL, signal.SIGUSR1):
    attempt(lambda: os.kill(${pid}, number))`,
  },
  {
    name: 'a signal to everybody',
    expect: 'ended',
    code: () => 'import os\nos.kill(-1, 9)\nwhile True: pass',
    caps: { cpuMs: 3_000 },
  },
  {
    name: 'a signal to the parent',
    expect: 'ended',
    runners: bubblewrap,
    code: () => 'import time\nos.kill(os.getppid(), 9)\ntime.sleep(60)',
  },
  {
    name: 'stopping the supervisor',
    expect: 'ended',
    runners: bubblewrap,
    caps: { wallMs: 3_000 },
    code: () => 'import signal\nos.kill(os.getppid(), signal.SIGSTOP)',
  },
  {
    name: 'tracing the supervisor',
    expect: 'refused',
    runners: bubblewrap,
    code: () => `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(*args):
    if libc.syscall(*args) == -1: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
attempt(lambda: call(101 if os.uname().machine == 'x86_64' else 117, 16, os.getppid(), 0, 0))
attempt(lambda: open(f'/proc/{os.getppid()}/mem', 'r+b').read(1))
attempt(lambda: open(f'/proc/{os.getppid()}/fd/3', 'wb').write(b'x'))`,
  },
  {
    name: 'system calls by number: keys, memory files, mounts, namespaces, filters, modules',
    expect: 'refused',
    runners: bubblewrap,
    code: () => `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(*args):
    if libc.syscall(*args) == -1: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
x64 = os.uname().machine == 'x86_64'
attempt(lambda: call(250 if x64 else 219, 0, -3, 1))
attempt(lambda: call(319 if x64 else 279, b'x', 0))
attempt(lambda: call(29 if x64 else 194, 0, 4096, 0o1600))
attempt(lambda: call(165 if x64 else 40, b'none', b'/tmp', b'tmpfs', 0, 0))
attempt(lambda: call(161 if x64 else 51, b'/tmp'))
attempt(lambda: call(272 if x64 else 97, 0x10000000))
attempt(lambda: call(56 if x64 else 220, 0x10000000 | 17, 0, 0, 0, 0))
attempt(lambda: call(435, 0, 0))
attempt(lambda: call(321 if x64 else 280, 0, 0, 0))
attempt(lambda: call(425, 8, 0))
attempt(lambda: call(298 if x64 else 241, 0, 0, 0, 0, 0))
attempt(lambda: call(323 if x64 else 282, 0))
attempt(lambda: call(175 if x64 else 105, 0, 0, b''))
attempt(lambda: call(304 if x64 else 265, 0, 0, 0))
attempt(lambda: call(438, 0, 0, 0))
attempt(lambda: call(135 if x64 else 92, 0x0008))
attempt(lambda: libc.setuid(0) and 1 / 0)
attempt(lambda: call(41 if x64 else 198, 40, 1, 0))`,
  },
  {
    name: 'system calls of the second interface',
    expect: 'refused',
    runners: bubblewrap,
    code: () => `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(number):
    if libc.syscall(number, 40, 1, 0) == -1: raise OSError(ctypes.get_errno(), 'refused')
attempt(lambda: call(0x40000000 + 41))
attempt(lambda: call(0x40000000 + 272))`,
  },
  {
    name: 'programs with the rights of another account',
    expect: 'refused',
    runners: bubblewrap,
    code: () => `import subprocess
for command in (['su', '-c', 'id'], ['mount', '-t', 'tmpfs', 'x', '/tmp'], ['unshare', '-Ur', 'id'], ['nsenter', '-t', '1', '-a', 'id'], ['bwrap', '--bind', '/', '/', 'id'], ['newgrp', 'root'], ['passwd', '-d', 'root']):
    attempt(lambda: subprocess.run(command, check=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=10).stdout)`,
  },
  {
    name: 'a process that outlives its run',
    expect: 'blind',
    runners: bubblewrap,
    language: 'bash',
    code: ({ abstractName }) =>
      `(setsid bash -c 'exec -a ${abstractName}-left sleep 1000' >/dev/null 2>&1 &)\nsleep 0.2\necho saw nothing`,
  },
  {
    name: 'bash: folders, devices and the network',
    expect: 'blind',
    runners: bubblewrap,
    language: 'bash',
    code: ({ file, tcpPort, pid }) =>
      `cat ${file} 2>&1; cat /proc/${pid}/environ 2>&1; (exec 9<>/dev/tcp/127.0.0.1/${tcpPort} && cat <&9) 2>&1; kill -9 ${pid} 2>&1; env; ls -la / /dev; echo saw nothing`,
  },
];

export const forgeries: readonly Attempt[] = [
  {
    name: 'a report of its own on every descriptor',
    expect: 'refused',
    runners: bubblewrap,
    code: () => `forged = b'{"exit":0,"out_of_time":false,"left_out":0,"gone":[],"files":[{"path":"../../escape","size":1}]}\\nx'
for number in range(3, 64): attempt(lambda: os.write(number, forged))`,
  },
];
