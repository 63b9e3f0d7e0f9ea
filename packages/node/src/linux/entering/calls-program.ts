/**
 * A program that makes system calls in sequence and then executes the command that it is given. It needs no library, no loader and no
 * file of the container in which it runs. It is assembled here, because no standard tool has these properties. Pure.
 */
import type { Architecture } from "../seccomp/filter.ts";

/** Bytes that contain the address of other bytes. */
export interface Pointing {
  readonly bytes: Buffer;
  readonly at: number;
  readonly to: Buffer;
}

/** A system call with at most four arguments; bytes are passed by address. */
export interface Call {
  readonly number: number;
  readonly arguments: readonly (number | Buffer | Pointing)[];
  /** The errno that is ignored, or all of them; any other error ends the program. */
  readonly harmless?: number | "every error";
}

/** The load address, and the offset of the code in the file: after the ELF header and one program header. */
const address = 0x40_0000;
const codeStart = 64 + 56;
/** The table of calls follows the code, and their data follows the table. */
const codeLength = 96;
const tableStart = codeStart + codeLength;
const rowLength = 48;
const end = 0xffff_ffff_ffff_ffffn;
/** The last column of a row when it is not an ignored errno. Kernel errors are never as large as the second one. */
const answers = { everyError: 0n, noError: -4096n } as const;

/** The ELF machine numbers of the architectures. */
const machines = { x64: 62, arm64: 183 } as const;

/**
 * A row has the number of the call, its four arguments and the ignored result, zero for all errors. Then comes `execve(argv[1], argv + 1,
 * envp)`: at the start the stack has argc, the arguments, a zero and the environment. A failure exits with 126.
 */
const instructions: { readonly [architecture in Architecture]: readonly string[] } = {
  x64: [
    "48 8d 1d 59 00 00 00", //         lea rbx, [table]
    "48 8b 03", //               next: mov rax, [rbx]
    "48 83 f8 ff", //                  cmp rax, -1
    "74 2d", //                        je run
    "48 8b 7b 08", //                  mov rdi, [rbx + 8]
    "48 8b 73 10", //                  mov rsi, [rbx + 16]
    "48 8b 53 18", //                  mov rdx, [rbx + 24]
    "4c 8b 53 20", //                  mov r10, [rbx + 32]
    "45 31 c0", //                     xor r8d, r8d
    "0f 05", //                        syscall
    "48 85 c0", //                     test rax, rax
    "79 0d", //                        jns ok
    "48 83 7b 28 00", //               cmp qword [rbx + 40], 0
    "74 06", //                        je ok
    "48 3b 43 28", //                  cmp rax, [rbx + 40]
    "75 1d", //                        jne fail
    "48 83 c3 30", //              ok: add rbx, 48
    "eb ca", //                        jmp next
    "48 8b 04 24", //             run: mov rax, [rsp]
    "48 8d 74 24 10", //               lea rsi, [rsp + 16]
    "48 8b 3e", //                     mov rdi, [rsi]
    "48 8d 14 c6", //                  lea rdx, [rsi + 8 * rax]
    "b8 3b 00 00 00", //               mov eax, 59
    "0f 05", //                        syscall
    "bf 7e 00 00 00", //         fail: mov edi, 126
    "b8 e7 00 00 00", //               mov eax, 231
    "0f 05", //                        syscall
  ],
  arm64: [
    "09 03 00 10", //       adr x9, table
    "28 01 40 f9", // next: ldr x8, [x9]
    "1f 05 00 b1", //       cmn x8, 1
    "80 01 00 54", //       b.eq run
    "20 85 40 a9", //       ldp x0, x1, [x9, 8]
    "22 8d 41 a9", //       ldp x2, x3, [x9, 24]
    "04 00 80 d2", //       mov x4, 0
    "01 00 00 d4", //       svc 0
    "a0 00 f8 b6", //       tbz x0, 63, ok
    "25 15 40 f9", //       ldr x5, [x9, 40]
    "65 00 f8 b6", //       tbz x5, 63, ok
    "1f 00 05 eb", //       cmp x0, x5
    "21 01 00 54", //       b.ne fail
    "29 c1 00 91", // ok:   add x9, x9, 48
    "f3 ff ff 17", //       b next
    "e3 03 40 f9", // run:  ldr x3, [sp]
    "e1 43 00 91", //       add x1, sp, 16
    "20 00 40 f9", //       ldr x0, [x1]
    "22 0c 03 8b", //       add x2, x1, x3, lsl 3
    "a8 1b 80 d2", //       mov x8, 221
    "01 00 00 d4", //       svc 0
    "c0 0f 80 d2", // fail: mov x0, 126
    "c8 0b 80 d2", //       mov x8, 94
    "01 00 00 d4", //       svc 0
  ],
};

/** The program for these calls. */
export function callsProgram(calls: readonly Call[], architecture: Architecture): Buffer {
  const code = Buffer.alloc(codeLength);
  Buffer.from(instructions[architecture].join("").replaceAll(" ", ""), "hex").copy(code);
  const body = Buffer.concat([code, layOut(calls)]);
  return Buffer.concat([fileHeader(architecture), partHeader(codeStart + body.length), body]);
}

function layOut(calls: readonly Call[]): Buffer {
  const rows = Buffer.alloc((calls.length + 1) * rowLength);
  const data: Buffer[] = [];
  let next = address + tableStart + rows.length;
  const place = (bytes: Buffer): bigint => {
    const at = next;
    // Data that the kernel reads as numbers has to be aligned.
    const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 7)]);
    data.push(padded);
    next += padded.length;
    return BigInt(at);
  };
  const toValue = (value: Call["arguments"][number]): bigint => {
    if (typeof value === "number") return BigInt(value);
    if (Buffer.isBuffer(value)) return place(value);
    const bytes = Buffer.from(value.bytes);
    bytes.writeBigUInt64LE(place(value.to), value.at);
    return place(bytes);
  };
  for (const [index, call] of calls.entries()) {
    const row = rows.subarray(index * rowLength, (index + 1) * rowLength);
    row.writeBigUInt64LE(BigInt(call.number));
    for (const [at, value] of call.arguments.entries()) row.writeBigUInt64LE(toValue(value), 8 + at * 8);
    row.writeBigInt64LE(answerOf(call), 40);
  }
  rows.writeBigUInt64LE(end, calls.length * rowLength);
  return Buffer.concat([rows, ...data]);
}

function answerOf({ harmless }: Call): bigint {
  if (harmless === undefined) return answers.noError;
  return harmless === "every error" ? answers.everyError : -BigInt(harmless);
}

/** A 64-bit little-endian ELF executable that starts at the first instruction and has one segment. */
function fileHeader(architecture: Architecture): Buffer {
  const bytes = Buffer.alloc(64);
  Buffer.from("7f454c46020101", "hex").copy(bytes);
  bytes.writeUInt16LE(2, 16);
  bytes.writeUInt16LE(machines[architecture], 18);
  bytes.writeUInt32LE(1, 20);
  bytes.writeBigUInt64LE(BigInt(address + codeStart), 24);
  bytes.writeBigUInt64LE(64n, 32);
  bytes.writeUInt16LE(64, 52);
  bytes.writeUInt16LE(56, 54);
  bytes.writeUInt16LE(1, 56);
  return bytes;
}

/** The whole file, readable and executable. Its alignment fits the largest page size of any machine. */
function partHeader(length: number): Buffer {
  const bytes = Buffer.alloc(56);
  bytes.writeUInt32LE(1, 0);
  bytes.writeUInt32LE(5, 4);
  bytes.writeBigUInt64LE(BigInt(address), 16);
  bytes.writeBigUInt64LE(BigInt(address), 24);
  bytes.writeBigUInt64LE(BigInt(length), 32);
  bytes.writeBigUInt64LE(BigInt(length), 40);
  bytes.writeBigUInt64LE(0x1_0000n, 48);
  return bytes;
}
