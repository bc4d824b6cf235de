/**
 * What every runner does inside with the files of a run: `write_files` puts them there, `walk` finds those of the code,
 * `collect` takes the new and changed ones, `gone_of` names those that were removed. No link is followed, and everything has a bound.
 */
export const pythonFiles = String.raw`
import json, os, stat

WORK = '/work'
READ_ONLY = 'skills'
ENTRIES_MAX = 20000
NAME_MAX = 255

def write_files(head, source):
    folders = set()
    for entry in head['files']:
        path = os.path.join(WORK, entry['path'])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(source.read(entry['size']))
        if entry['path'].startswith(READ_ONLY + '/'):
            os.chmod(path, 0o444)
            folders.add(os.path.dirname(path))
    for folder in folders:
        os.chmod(folder, 0o555)

def walk():
    waiting, entries = [''], 0
    while waiting:
        relative = waiting.pop()
        try:
            found = sorted(os.scandir(os.path.join(WORK, relative)), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in found:
            entries += 1
            if entries > ENTRIES_MAX:
                return
            name = os.path.join(relative, entry.name)
            try:
                info = os.lstat(entry.path)
            except OSError:
                continue
            if stat.S_ISDIR(info.st_mode):
                if name != READ_ONLY:
                    waiting.append(name)
            elif stat.S_ISREG(info.st_mode):
                yield name, entry.path, (info.st_ino, info.st_size, info.st_mtime_ns)

def marks():
    return {name: mark for name, _, mark in walk()}

def collect(before, head):
    chosen, total, left_out = [], 0, 0
    for name, path, mark in walk():
        if before.get(name) == mark:
            continue
        room = head['files_bytes_max'] - total
        if len(chosen) >= head['files_max'] or mark[1] > room or len(os.fsencode(name)) > NAME_MAX:
            left_out += 1
            continue
        try:
            with open(path, 'rb') as file:
                data = file.read(room)
        except OSError:
            left_out += 1
            continue
        total += len(data)
        chosen.append((name, data))
    return chosen, left_out

def gone_of(before):
    def is_file(name):
        try:
            return stat.S_ISREG(os.lstat(os.path.join(WORK, name)).st_mode)
        except OSError:
            return False
    return [name for name in before if not is_file(name)]

def write_report(out, code, out_of_time, files, left_out, gone):
    report = {
        'exit': code,
        'out_of_time': out_of_time,
        'left_out': left_out,
        'gone': gone,
        'files': [{'path': name, 'size': len(data)} for name, data in files],
    }
    out.write(json.dumps(report).encode() + b'\n')
    for _, data in files:
        out.write(data)
`;
