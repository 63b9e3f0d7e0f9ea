/** The default seccomp filter as a BPF program. Pure. */
import { cloneCalls, withheldCalls } from "./calls.ts";

/** Architectures with known call numbers. */
export type Architecture = "x64" | "arm64";

/** The kernel's audit numbers of architectures. */
const auditNames = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

/** The offsets of the call number, the architecture and the low half of the first argument in `seccomp_data`. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;

const ALLOW = 0x7fff_0000;
const NOT_PERMITTED = 0x0005_0001;
const NO_SUCH_CALL = 0x0005_0026;

/** Numbers from here on belong to the x32 ABI. */
const OTHER_CONVENTION = 0x4000_0000;

/** The clone flags for mount, cgroup, UTS, IPC, user, PID and network namespaces. */
const NEW_NAMESPACES = 0x7e02_0000;

interface Instruction {
  readonly code: number;
  /** How many instructions are skipped if the test holds, and if it does not. */
  readonly yes?: number;
  readonly no?: number;
  readonly value: number;
}

/** Whether the call numbers of an architecture are known. */
export function isKnown(architecture: string): architecture is Architecture {
  return architecture === "x64" || architecture === "arm64";
}

/** The program for a container with these capabilities; with all of them there is no filter. */
export function defaultFilter(architecture: Architecture, capabilities: readonly string[]): Buffer | undefined {
  const may = new Set(capabilities);
  if (may.has("ALL")) return undefined;
  const refused = withheldCalls.flatMap((call) => {
    const number = call[architecture];
    const isGiven = call.unless?.some((capability) => may.has(capability)) === true;
    return number === undefined || isGiven ? [] : refuse(number, NOT_PERMITTED);
  });
  return encode([
    { code: LOAD, value: ARCHITECTURE },
    { code: JUMP_EQUAL, yes: 1, value: auditNames[architecture] },
    { code: RETURN, value: NO_SUCH_CALL },
    { code: LOAD, value: NUMBER },
    { code: JUMP_AT_LEAST, no: 1, value: OTHER_CONVENTION },
    { code: RETURN, value: NO_SUCH_CALL },
    ...refused,
    ...(may.has("SYS_ADMIN") ? [] : withoutNamespaces(architecture)),
    { code: RETURN, value: ALLOW },
  ]);
}

function refuse(number: number, answer: number): readonly Instruction[] {
  return [
    { code: JUMP_EQUAL, no: 1, value: number },
    { code: RETURN, value: answer },
  ];
}

function withoutNamespaces(architecture: Architecture): readonly Instruction[] {
  return [
    ...refuse(cloneCalls.clone3[architecture], NO_SUCH_CALL),
    { code: JUMP_EQUAL, no: 3, value: cloneCalls.clone[architecture] },
    { code: LOAD, value: FIRST_ARGUMENT },
    { code: JUMP_ANY_BIT, no: 1, value: NEW_NAMESPACES },
    { code: RETURN, value: NOT_PERMITTED },
  ];
}

/** Eight bytes for each instruction, little-endian on both architectures. */
function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(({ code, yes = 0, no = 0, value }, index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(yes, index * 8 + 2);
    bytes.writeUInt8(no, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}
