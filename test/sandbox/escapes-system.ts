import { bubblewrap, q, type Attempt } from './escape.ts';

export const files: readonly Attempt[] = [
  {
    name: 'a file that everybody may read',
    expect: 'refused',
    code: ({ file, folder }) =>
      `attempt(lambda: open(${q(file)}).read())\nattempt(lambda: os.listdir(${q(folder)}))\nattempt(lambda: os.stat(${q(file)}))`,
  },
  {
    name: 'accounts and passwords of the host',
    expect: 'refused',
    code: () => `for path in ('/etc/shadow', '/etc/gshadow', '/root/.ssh', '/root/.bashrc', '/var/lib', '/boot'):
    attempt(lambda: os.listdir(path) if os.path.isdir(path) else open(path).read())`,
  },
  {
    name: 'folders of the host',
    expect: 'blind',
    code: ({ folder }) => `for root, folders, files in os.walk('/'):
    if root.startswith(('/usr', '/lib', '/bin', '/proc')): folders.clear()
    for name in folders + files: see(lambda: os.path.join(root, name))
see(lambda: os.path.exists(${q(folder)}))`,
  },
  {
    name: 'the file system of other processes',
    expect: 'refused',
    code: ({ file, pid }) => `for process in (1, ${pid}, os.getppid()):
    attempt(lambda: open(f'/proc/{process}/root' + ${q(file)}).read())
    attempt(lambda: open(f'/proc/{process}/cwd' + ${q(file)}).read())`,
  },
  {
    name: 'environment and command line of other processes',
    expect: 'blind',
    code: ({ pid }) => `for process in (1, ${pid}, os.getppid(), 'self'):
    for name in ('environ', 'cmdline', 'maps', 'mountinfo', 'status'):
        see(lambda: open(f'/proc/{process}/{name}', 'rb').read())`,
  },
  { name: 'its own environment', expect: 'blind', code: () => 'see(lambda: dict(os.environ))' },
  {
    name: 'writing to the system',
    expect: 'refused',
    code: ({
      file,
    }) => `for path in ('/usr/bin/env', '/usr/lib/x', '/etc/passwd', '/proc/sys/kernel/core_pattern', '/sys/x'):
    attempt(lambda: open(path, 'r+' if os.path.exists(path) else 'x').write('x') if not path.startswith('/etc') else open('/etc/passwd').read())
attempt(lambda: os.truncate(${q(file)}, 0))`,
    runners: bubblewrap,
  },
  {
    name: 'settings of the kernel',
    expect: 'refused',
    runners: bubblewrap,
    code: () => `attempt(lambda: os.listdir('/sys/kernel'))
attempt(lambda: open('/proc/sysrq-trigger', 'w').write('b'))
attempt(lambda: open('/proc/sys/kernel/hostname', 'w').write('x'))`,
  },
  {
    name: 'devices of memory and disks',
    expect: 'refused',
    code: () => `for name in ('mem', 'kmem', 'port', 'sda', 'vda', 'kvm', 'fuse', 'net/tun', 'kmsg'):
    attempt(lambda: open('/dev/' + name, 'rb').read(1))
attempt(lambda: os.mknod('/tmp/disk', 0o60600, os.makedev(8, 0)) or open('/tmp/disk', 'rb').read(1))`,
  },
  {
    name: 'links that point to the host, handed back as files',
    expect: 'blind',
    code: ({ file }) => `os.symlink(${q(file)}, 'link')
os.symlink('/', 'root')
see(lambda: open('link').read())
see(lambda: os.link(${q(file)}, 'hard'))`,
  },
  {
    name: 'names that lead out of the folder',
    expect: 'blind',
    code: () => `for name in ('a\\\\..\\\\b', '..x', '...', '-rf', 'con', 'x\\x00', 'new\\nline', 'ü' * 120, ' '):
    see(lambda: open(name, 'w').write('x'))`,
  },
];

export const network: readonly Attempt[] = [
  {
    name: 'TCP',
    expect: 'refused',
    code: ({ tcpPort }) => `import socket
attempt(lambda: socket.create_connection(('127.0.0.1', ${tcpPort}), 2).recv(1))
attempt(lambda: socket.create_connection(('10.0.0.1', 80), 1))
attempt(lambda: __import__('urllib.request').request.urlopen('http://127.0.0.1:${tcpPort}/', timeout=2).read())`,
  },
  {
    name: 'TCP over IPv6',
    expect: 'refused',
    code: ({ tcpPort }) =>
      `import socket\nattempt(lambda: socket.create_connection(('::1', ${tcpPort}), 2).recv(1))`,
  },
  {
    name: 'UDP',
    expect: 'refused',
    runners: bubblewrap,
    code: ({ udpPort }) =>
      `import socket\nattempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', ${udpPort})))`,
  },
  {
    name: 'names on the network',
    expect: 'refused',
    runners: bubblewrap,
    code: () => `import socket\nattempt(lambda: socket.getaddrinfo('example.com', 80))`,
  },
  {
    name: 'sockets of the host, with and without a path',
    expect: 'refused',
    code: ({ socketPath, abstractName }) => `import socket
def connect(address):
    client = socket.socket(socket.AF_UNIX)
    client.connect(address)
    return client.recv(1)
attempt(lambda: connect(${q(socketPath)}))
attempt(lambda: connect('\\0' + ${q(abstractName)}))
attempt(lambda: connect('/run/dbus/system_bus_socket'))
attempt(lambda: connect('/var/run/docker.sock'))`,
  },
  {
    name: 'raw, packet, machine and kernel sockets',
    expect: 'refused',
    code: () => `import socket
for family, kind, protocol in ((2, 3, 1), (17, 3, 3), (40, 1, 0), (16, 3, 0), (38, 5, 0), (30, 1, 0)):
    attempt(lambda: socket.socket(family, kind, protocol).getsockname() if family != 2 else socket.socket(2, 3, 1).sendto(b'x', ('127.0.0.1', 0)))`,
    runners: bubblewrap,
  },
];
