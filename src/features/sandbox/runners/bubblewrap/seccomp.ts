/** Numbers of a system call: x64 and arm64. */
type Numbers = readonly [number, number];
/** No call has this number. */
const absent = 0xffff;

/**
 * System calls that code has no use for and that escapes begin with: other processes, mounts and namespaces, keys,
 * kernel facilities with a history of holes, sockets of any family (some, such as those of a virtual machine to its
 * host, are in no network namespace), and memory that belongs to no process and would escape the cap.
 */
const refused: Readonly<Record<string, Numbers>> = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  fanotify_init: [300, 262],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  vmsplice: [278, 75],
  personality: [135, 92],
  socket: [41, 198],
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
  msgget: [68, 186],
  semget: [64, 190],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  acct: [163, 89],
  quotactl: [179, 60],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  lookup_dcookie: [212, 18],
  iopl: [172, absent],
  ioperm: [173, absent],
  modify_ldt: [154, absent],
};

const machines: Readonly<Record<string, { readonly audit: number; readonly column: 0 | 1 }>> = {
  x64: { audit: 0xc000_003e, column: 0 },
  arm64: { audit: 0xc000_00b7, column: 1 },
};

const clone: Numbers = [56, 220];
const clone3 = 435;
const socketpair: Numbers = [53, 199];
const unixFamily = 1;
/** Flags of `clone` that make namespaces. */
const namespaceFlags = 0x7e02_0000;
/** Calls of the second x64 interface have this bit. */
const x32Bit = 0x4000_0000;

const load = 0x20;
const jumpEqual = 0x15;
const jumpAtLeast = 0x35;
const jumpAnyBit = 0x45;
const end = 0x06;
const allow = 0x7fff_0000;
const error = 0x0005_0000;
const notPermitted = 1;
const notThere = 38;
const stepBytes = 8;
const at = { number: 0, machine: 4, firstArgument: 16 };

type Target = 'next' | 'allow' | 'refuse' | 'absent' | 'clone' | 'pair';
interface Step {
  readonly code: number;
  readonly value: number;
  readonly met?: Target;
  readonly otherwise?: Target;
  readonly label?: Target;
}

/**
 * A filter of system calls as `bwrap --seccomp` takes it: `struct sock_filter` one after the other. Null for a
 * machine whose numbers are not known here.
 */
export function toSeccomp(arch: string): Buffer | null {
  const machine = machines[arch];
  if (machine === undefined) return null;
  const of = (numbers: Numbers) => numbers[machine.column];
  const steps: readonly Step[] = [
    { code: load, value: at.machine },
    { code: jumpEqual, value: machine.audit, otherwise: 'refuse' },
    { code: load, value: at.number },
    { code: jumpAtLeast, value: x32Bit, met: 'refuse' },
    // Its arguments lie in memory, where a filter cannot look; the C library falls back to the older call.
    { code: jumpEqual, value: clone3, met: 'absent' },
    { code: jumpEqual, value: of(clone), met: 'clone' },
    { code: jumpEqual, value: of(socketpair), met: 'pair' },
    ...Object.values(refused).map((numbers): Step => ({
      code: jumpEqual,
      value: of(numbers),
      met: 'refuse',
    })),
    { code: end, value: allow },
    { code: load, value: at.firstArgument, label: 'clone' },
    { code: jumpAnyBit, value: namespaceFlags, met: 'refuse', otherwise: 'allow' },
    { code: load, value: at.firstArgument, label: 'pair' },
    { code: jumpEqual, value: unixFamily, met: 'allow', otherwise: 'refuse' },
    { code: end, value: error | notPermitted, label: 'refuse' },
    { code: end, value: error | notThere, label: 'absent' },
    { code: end, value: allow, label: 'allow' },
  ];
  const program = Buffer.alloc(steps.length * stepBytes);
  for (const [index, { code, value, met = 'next', otherwise = 'next' }] of steps.entries()) {
    program.writeUInt16LE(code, index * stepBytes);
    program.writeUInt8(distance(steps, index, met), index * stepBytes + 2);
    program.writeUInt8(distance(steps, index, otherwise), index * stepBytes + 3);
    program.writeUInt32LE(value >>> 0, index * stepBytes + 4);
  }
  return program;
}

/** Steps to jump over. Jumps go forward only. */
function distance(steps: readonly Step[], from: number, target: Target): number {
  return target === 'next' ? 0 : steps.findIndex(({ label }) => label === target) - from - 1;
}
