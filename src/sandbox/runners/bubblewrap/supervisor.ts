/**
 * Runs as the first process of the sandbox, in Python because that is there anyway. Reads the exchange of
 * `sandbox/exchange.ts` from standard input, runs the code without descriptors of its own, and reports on descriptor 3.
 * The code can kill it or write to that descriptor: whoever reads the report believes nothing of it.
 */
export const supervisor = String.raw`
import json, os, signal, stat, subprocess, sys

WORK = '/work'
READ_ONLY = 'skills'

def write_files(head, source):
    for entry in head['files']:
        path = os.path.join(WORK, entry['path'])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(source.read(entry['size']))
        if entry['path'].startswith(READ_ONLY + '/'):
            os.chmod(path, 0o444)

def walk():
    for folder, names, files in os.walk(WORK):
        relative = os.path.relpath(folder, WORK)
        if relative == '.' and READ_ONLY in names:
            names.remove(READ_ONLY)
        names.sort()
        for name in sorted(files):
            path = os.path.join(folder, name)
            try:
                info = os.lstat(path)
            except OSError:
                continue
            if stat.S_ISREG(info.st_mode):
                yield os.path.normpath(os.path.join(relative, name)), path, (info.st_size, info.st_mtime_ns)

def command(head):
    if head['language'] == 'bash':
        with open('/tmp/main.sh', 'w') as file:
            file.write(head['code'])
        return ['/bin/bash', '--noprofile', '--norc', '/tmp/main.sh']
    with open('/tmp/main.py', 'w') as file:
        file.write(head['code'])
    start = "import sys; sys.argv = ['main.py']; exec(compile(open('/tmp/main.py').read(), 'main.py', 'exec'))"
    return [sys.executable, '-s', '-B', '-u', '-X', 'utf8', '-c', start]

def collect(before, head):
    chosen, total = [], 0
    for name, path, mark in walk():
        if before.get(name) == mark or len(chosen) >= head['files_max']:
            continue
        try:
            with open(path, 'rb') as file:
                data = file.read(head['files_bytes_max'] - total + 1)
        except OSError:
            continue
        if total + len(data) > head['files_bytes_max']:
            break
        total += len(data)
        chosen.append((name, data))
    return chosen

def main():
    head = json.loads(sys.stdin.buffer.readline())
    write_files(head, sys.stdin.buffer)
    before = {name: mark for name, _, mark in walk()}
    child = subprocess.Popen(command(head), stdin=subprocess.DEVNULL, close_fds=True, cwd=WORK)
    code = child.wait()
    files = collect(before, head)
    report = {
        'exit': code if code >= 0 else 128 - code,
        'out_of_time': code == -signal.SIGXCPU,
        'files': [{'path': name, 'size': len(data)} for name, data in files],
    }
    with os.fdopen(3, 'wb') as out:
        out.write(json.dumps(report).encode() + b'\n')
        for _, data in files:
            out.write(data)

main()
`;
