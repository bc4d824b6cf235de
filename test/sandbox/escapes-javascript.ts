import { pyodide, q, type Attempt } from './escape.ts';

export const javascript: readonly Attempt[] = [
  {
    name: 'the process of the host and what it reaches',
    expect: 'refused',
    runners: pyodide,
    code: ({ file, pid }) => `import js
process = js.process
attempt(lambda: process.kill(${pid}, 9))
attempt(lambda: process.kill(process.ppid, 'SIGSTOP'))
attempt(lambda: process._kill(${pid}, 9))
attempt(lambda: process._debugProcess(${pid}))
attempt(lambda: process.binding('fs').open(${q(file)}))
attempt(lambda: process.binding('spawn_sync').spawn)
attempt(lambda: process._linkedBinding('fs').open)
attempt(lambda: process.dlopen(process, '/tmp/x'))
attempt(lambda: process.getBuiltinModule('fs').readFileSync(${q(file)}))
attempt(lambda: process.mainModule.require('fs'))
attempt(lambda: process.report.getReport().header)
attempt(lambda: process.loadEnvFile('/proc/self/environ'))
attempt(lambda: process.setuid(0))
attempt(lambda: process.chdir('/'))
attempt(lambda: process.execve('/bin/sh'))
attempt(lambda: process._getActiveHandles()[0])`,
  },
  {
    name: 'code out of text',
    expect: 'refused',
    runners: pyodide,
    code: () => `import js
from pyodide.code import run_js
attempt(lambda: js.eval('1 + 1'))
attempt(lambda: run_js('1 + 1'))
attempt(lambda: js.Function.new('return 1')())
attempt(lambda: js.Function('return process')())
attempt(lambda: js.Object.constructor('return process')())
attempt(lambda: js.Object.new().constructor.constructor('return process')())
attempt(lambda: js.setTimeout.constructor('return process')())
attempt(lambda: js.Promise.resolve.constructor('return 1')())
attempt(lambda: js.setTimeout('1 + 1'))`,
  },
  {
    name: 'properties of process that were taken away, put back',
    expect: 'refused',
    runners: pyodide,
    code: ({ pid }) => `import js
attempt(lambda: js.Reflect.deleteProperty(js.process, 'kill') and 1 or 1 / 0)
attempt(lambda: js.Object.getPrototypeOf(js.process).kill(${pid}, 9))
attempt(lambda: js.process.constructor.new().kill(${pid}, 9))
attempt(lambda: js.Object.getOwnPropertyDescriptor(js.process, 'binding').value('fs'))`,
  },
  {
    name: 'files of the host mounted into the interpreter',
    expect: 'refused',
    runners: pyodide,
    code: ({ folder }) => `import pyodide_js, js
def mount(root):
    os.makedirs('/mnt/host', exist_ok=True)
    pyodide_js.FS.mount(pyodide_js.FS.filesystems.NODEFS, js.Object.fromEntries([['root', root]]), '/mnt/host')
    return os.listdir('/mnt/host')
for root in ('/', ${q(folder)}, '/proc/self', '/etc'): attempt(lambda: mount(root))
attempt(lambda: pyodide_js.mountNodeFS('/mnt/other', '/'))`,
  },
  {
    name: 'the network of JavaScript',
    expect: 'refused',
    runners: pyodide,
    code: ({ tcpPort }) => `import js, asyncio
from pyodide.http import pyfetch
async def load(): return (await pyfetch('http://127.0.0.1:${tcpPort}/')).status
attempt(lambda: asyncio.run(load()))
attempt(lambda: js.fetch('http://127.0.0.1:${tcpPort}/'))
attempt(lambda: js.WebSocket.new('ws://127.0.0.1:${tcpPort}/'))
attempt(lambda: js.EventSource.new('http://127.0.0.1:${tcpPort}/'))
attempt(lambda: js.XMLHttpRequest.new())
import pyodide_js
async def package(): return await pyodide_js.loadPackage('http://127.0.0.1:${tcpPort}/x-1-py3-none-any.whl', messageCallback=lambda text: None, errorCallback=lambda text: None)
async def mine():
    result = await package()
    if not result: raise OSError('nothing was loaded')
attempt(lambda: asyncio.run(mine()))`,
  },
  {
    name: 'threads, processes and modules of JavaScript',
    expect: 'refused',
    runners: pyodide,
    code: () => `import js, subprocess, os
attempt(lambda: js.Worker.new('x'))
attempt(lambda: js.require('fs'))
attempt(lambda: js.module.require('fs'))
attempt(lambda: js.importScripts('fs'))
attempt(lambda: subprocess.run(['id'], check=True))
attempt(lambda: os.fork())
attempt(lambda: os.execv('/bin/sh', ['sh']))`,
  },
  {
    name: 'memory of WebAssembly',
    expect: 'refused',
    runners: pyodide,
    code: () => `import js
def grow():
    kept = []
    while True: kept.append(bytearray(50_000_000))
attempt(grow)
attempt(lambda: js.WebAssembly.Memory.new(js.Object.fromEntries([['initial', 60000]])))
attempt(lambda: js.pyodide_js._module.wasmMemory.grow(60000))`,
  },
  {
    name: 'memory of JavaScript',
    expect: 'ended',
    runners: pyodide,
    code: () => `import js
kept = []
while True:
    array = js.Uint8Array.new(50_000_000)
    array.fill(1)
    kept.append(array)`,
  },
  {
    name: 'a shell',
    expect: 'ended',
    runners: pyodide,
    code: () => `import os\nprint('ESCAPED' if os.system('id') == 0 else 'refused')\nsys.exit(1)`,
  },
  {
    name: 'a file of a terabyte in memory',
    expect: 'ended',
    runners: pyodide,
    code: () => `os.truncate(os.open('sparse', os.O_CREAT | os.O_RDWR), 1 << 40)`,
  },
  {
    name: 'ending the process',
    expect: 'ended',
    runners: pyodide,
    code: () => 'import js\njs.process.exit(0)',
  },
  {
    name: 'aborting the process',
    expect: 'ended',
    runners: pyodide,
    code: () => 'import js\njs.process.abort()',
  },
  {
    name: 'what the process knows of its machine',
    expect: 'blind',
    runners: pyodide,
    code: () => `import js
for name in ('env', 'argv', 'execPath', 'execArgv', 'title', 'config', 'pid', 'ppid', 'report', 'moduleLoadList'):
    see(lambda: js.JSON.stringify(getattr(js.process, name)))`,
  },
];
