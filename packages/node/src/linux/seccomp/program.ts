/**
 * The filter as a program of its own: it takes the filter on and becomes the command that it is given. Bubblewrap does that for what a container
 * begins with; for whoever comes in later no tool of every machine does, so the program is written here, instruction by instruction. Pure.
 */
import type { Architecture } from "./filter.ts";

/** Where the kernel puts the program, and where in the file its instructions begin: after the header of the file and that of its one part. */
const address = 0x40_0000;
const codeStart = 64 + 56;
/** The description of the filter follows the instructions, the filter follows its description. */
const codeLength = 64;
const descriptionLength = 16;

/** How the kernel calls architectures in files. */
const machines = { x64: 62, arm64: 183 } as const;

/**
 * `seccomp(SECCOMP_SET_MODE_FILTER, 0, description)`, then `execve(argv[1], argv + 1, envp)`; what fails ends with 126. At the start the stack
 * has the number of arguments, the arguments, a zero and the variables.
 */
const instructions: { readonly [architecture in Architecture]: readonly string[] } = {
  x64: [
    "bf 01 00 00 00", //         mov edi, 1
    "31 f6", //                  xor esi, esi
    "48 8d 15 32 00 00 00", //   lea rdx, [description]
    "b8 3d 01 00 00", //         mov eax, 317
    "0f 05", //                  syscall
    "85 c0", //                  test eax, eax
    "75 17", //                  jne fail
    "48 8b 04 24", //            mov rax, [rsp]
    "48 8d 74 24 10", //         lea rsi, [rsp + 16]
    "48 8b 3e", //               mov rdi, [rsi]
    "48 8d 14 c6", //            lea rdx, [rsi + 8 * rax]
    "b8 3b 00 00 00", //         mov eax, 59
    "0f 05", //                  syscall
    "bf 7e 00 00 00", //   fail: mov edi, 126
    "b8 e7 00 00 00", //         mov eax, 231
    "0f 05", //                  syscall
  ],
  arm64: [
    "20 00 80 d2", //       mov x0, 1
    "01 00 80 d2", //       mov x1, 0
    "c2 01 00 10", //       adr x2, description
    "a8 22 80 d2", //       mov x8, 277
    "01 00 00 d4", //       svc 0
    "e0 00 00 b5", //       cbnz x0, fail
    "e3 03 40 f9", //       ldr x3, [sp]
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

/** The program for a filter. Whoever runs it must have given up new privileges: else the kernel refuses the filter. */
export function filterProgram(filter: Buffer, architecture: Architecture): Buffer {
  const code = Buffer.alloc(codeLength);
  Buffer.from(instructions[architecture].join("").replaceAll(" ", ""), "hex").copy(code);
  const body = Buffer.concat([code, describe(filter), filter]);
  return Buffer.concat([fileHeader(architecture), partHeader(codeStart + body.length), body]);
}

/** How many instructions of eight bytes, and where they are. */
function describe(filter: Buffer): Buffer {
  const bytes = Buffer.alloc(descriptionLength);
  bytes.writeUInt16LE(filter.length / 8, 0);
  bytes.writeBigUInt64LE(BigInt(address + codeStart + codeLength + descriptionLength), 8);
  return bytes;
}

/** An executable file of 64 bits, little end first, that begins with the first instruction and has one part. */
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

/** The whole file, to be read and executed. The largest pages of any machine decide how it is aligned. */
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
