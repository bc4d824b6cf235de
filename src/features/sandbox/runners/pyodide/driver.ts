import { pythonFiles } from '../../python-files.ts';

/** What is imported before the state of the interpreter is kept, so that no run waits for it. */
export const warmUp =
  'import json, os, stat, sys, io, traceback, types, linecache, atexit, asyncio, re, math, datetime, random, ' +
  'collections, itertools, functools, statistics, decimal, csv, pathlib, dataclasses, typing, string, textwrap, time';

export const inputPath = '/tmp/.input';
export const reportPath = '/tmp/.report';

/** Runs the code inside of the interpreter: reads the exchange of `sandbox/exchange.ts`, leaves the report in a file. */
export const driver = String.raw`${pythonFiles}
import atexit, linecache, sys, traceback, types

MAIN = '/tmp/main.py'

def take_input():
    with open('${inputPath}', 'rb') as source:
        head = json.loads(source.readline())
        write_files(head, source)
    os.unlink('${inputPath}')
    return head

def prepare(code):
    with open(MAIN, 'w', encoding='utf-8', errors='surrogatepass') as file:
        file.write(code)
    os.environ.clear()
    os.environ.update(HOME=WORK, TMPDIR='/tmp', LANG='C.UTF-8')
    os.chdir(WORK)
    sys.path.insert(0, WORK)
    sys.argv = [MAIN]
    main = types.ModuleType('__main__')
    main.__file__ = MAIN
    sys.modules['__main__'] = main
    return main.__dict__

def exit_code(reason):
    if reason is None or isinstance(reason, int):
        return (reason or 0) & 0xff
    print(reason, file=sys.stderr)
    return 1

def run(code):
    try:
        exec(compile(code, MAIN, 'exec'), prepare(code))
        return 0
    except SystemExit as error:
        return exit_code(error.code)
    except BaseException as error:
        # Without the line above.
        traceback.print_exception(type(error), error, error.__traceback__ and error.__traceback__.tb_next)
        return 1

def drive():
    head = take_input()
    before = marks()
    code = run(head['code'])
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    files, left_out = collect(before, head)
    with open('${reportPath}', 'wb') as out:
        write_report(out, code, False, files, left_out, gone_of(before))

drive()
`;
