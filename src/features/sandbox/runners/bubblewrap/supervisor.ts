import { pythonFiles } from '../../python-files.ts';

/**
 * Starts the code inside of the sandbox, in Python because that is there anyway. Reads the exchange of
 * `sandbox/exchange.ts` from standard input, runs the code without descriptors of its own, and reports on descriptor 3.
 * The code can kill it or write to that descriptor: so a reader of the report trusts none of it.
 */
export const supervisor = String.raw`${pythonFiles}
import resource, signal, sys

def command(head):
    if head['language'] == 'bash':
        with open('/tmp/main.sh', 'w', encoding='utf-8', errors='surrogatepass') as file:
            file.write(head['code'])
        return ['/bin/bash', '--noprofile', '--norc', '/tmp/main.sh']
    with open('/tmp/main.py', 'w', encoding='utf-8', errors='surrogatepass') as file:
        file.write(head['code'])
    return [sys.executable, '-s', '-B', '-u', '-X', 'utf8', '/tmp/main.py']

def run(arguments):
    child = os.fork()
    if child == 0:
        try:
            os.dup2(os.open('/dev/null', os.O_RDONLY), 0)
            os.closerange(3, 4096)
            os.chdir(WORK)
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            os.execv(arguments[0], arguments)
        finally:
            os._exit(127)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)

def end_others():
    # Whatever the code left running could change files while they are read. Only below the first process of a
    # sandbox: anywhere else this would end far more.
    if os.getppid() == 1 and os.getpid() < 10:
        try:
            os.kill(-1, signal.SIGKILL)
        except OSError:
            pass

def main():
    head = json.loads(sys.stdin.buffer.readline())
    # Counted in this user namespace alone, so that runs beside each other and the server have their own.
    processes = head['processes_max'] + 2
    resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
    write_files(head, sys.stdin.buffer)
    before = marks()
    code = run(command(head))
    end_others()
    files, left_out = collect(before, head)
    with os.fdopen(3, 'wb') as out:
        write_report(out, code if code >= 0 else 128 - code, code == -signal.SIGXCPU, files, left_out, gone_of(before))

main()
`;
