/**
 * The program that enters a container: it starts with all rights of the node, and drops those that the container may not have before it
 * reads anything of the container. Pure.
 */
import { constants } from "node:os";
import { capabilityNumber, largestCapability } from "../capabilities.ts";
import type { Entrance } from "../launch.ts";
import type { Architecture } from "../seccomp/filter.ts";
import { callsProgram, type Call } from "./calls-program.ts";

/** The numbers of the system calls. */
const numbers = {
  x64: { keyctl: 250, prctl: 157, setgroups: 116, setresgid: 119, setresuid: 117, capset: 126, seccomp: 317 },
  arm64: { keyctl: 219, prctl: 167, setgroups: 159, setresgid: 149, setresuid: 147, capset: 91, seccomp: 277 },
} as const;

const joinNewKeyring = 1;
const endWithParent = 1;
const dropFromBounds = 24;
const setNoNewPrivileges = 38;
const ambient = { number: 47, clearAll: 4 } as const;
const takeOnFilter = 1;
/** EINVAL: the kernel does not know the capability. */
const invalid = 22;
/** EPERM: a filter forbids the use of keys. */
const notAllowed = 1;
const capabilityVersion = 0x2008_0522;

/** What determines the rights. */
export type RightsInside = Pick<Entrance, "rights" | "identity" | "capabilities" | "withheld">;

/** The program that enters, with the seccomp filter if there is one. */
export function enterProgram(inside: RightsInside, filter: Buffer | undefined, architecture: Architecture): Buffer {
  const { keyctl, prctl, seccomp } = numbers[architecture];
  const filterCalls = filter === undefined ? [] : [{ number: seccomp, arguments: [takeOnFilter, 0, describe(filter)] }];
  // Capabilities are dropped last: without them, a process with the same few rights could trace this program and skip the remaining
  // calls.
  const calls: readonly Call[] = [
    // Each container starts with its own session keyring. The key quota of a user is small: on an error it keeps that of the shim, which
    // is empty.
    { number: keyctl, arguments: [joinNewKeyring, 0], harmless: "every error" },
    { number: prctl, arguments: [setNoNewPrivileges, 1] },
    ...filterCalls,
    ...giveUp(inside, architecture),
  ];
  return callsProgram(calls, architecture);
}

/**
 * The program that starts with its own session keyring: otherwise all processes inherit that of the user that starts the cluster. If the
 * use of keys is forbidden, containers cannot use them either.
 */
export function keyringProgram(architecture: Architecture): Buffer {
  const { keyctl } = numbers[architecture];
  return callsProgram([{ number: keyctl, arguments: [joinNewKeyring, 0], harmless: notAllowed }], architecture);
}

/** A process that enters the user namespace of a container as a non-root user has no capabilities left. */
function giveUp(
  { rights, identity, capabilities, withheld }: RightsInside,
  architecture: Architecture,
): readonly Call[] {
  const { uid } = identity;
  if (rights === "user" && uid !== 0) return [];
  const { prctl, capset } = numbers[architecture];
  const kept = uid === 0 ? keptOf(capabilities, withheld) : new Set<number>();
  const all = Array.from({ length: largestCapability + 1 }, (_, number) => number);
  const header = Buffer.alloc(8);
  header.writeUInt32LE(capabilityVersion);
  return [
    ...all
      .filter((number) => !kept.has(number))
      .map((number) => ({ number: prctl, arguments: [dropFromBounds, number], harmless: invalid })),
    { number: prctl, arguments: [ambient.number, ambient.clearAll], harmless: invalid },
    ...(rights === "root" ? becomeUser(identity, architecture) : []),
    { number: capset, arguments: [header, sets(kept)] },
  ];
}

/** A change of the uid clears the parent death signal, so it is set again. */
function becomeUser({ uid, gid, groups }: Entrance["identity"], architecture: Architecture): readonly Call[] {
  const { prctl, setgroups, setresgid, setresuid } = numbers[architecture];
  const list = Buffer.alloc(groups.length * 4);
  for (const [index, group] of groups.entries()) list.writeUInt32LE(group, index * 4);
  return [
    { number: setgroups, arguments: [groups.length, list] },
    { number: setresgid, arguments: [gid, gid, gid] },
    { number: setresuid, arguments: [uid, uid, uid] },
    { number: prctl, arguments: [endWithParent, constants.signals.SIGKILL] },
  ];
}

function keptOf(capabilities: readonly string[], withheld: readonly string[]): ReadonlySet<number> {
  const kept = new Set(capabilities.filter((name) => name !== "ALL").map(capabilityNumber));
  if (capabilities.includes("ALL")) for (let number = 0; number <= largestCapability; number++) kept.add(number);
  for (const name of withheld) kept.delete(capabilityNumber(name));
  return kept;
}

/** The effective and permitted sets, and an empty inheritable set, as two 32-bit halves. */
function sets(kept: ReadonlySet<number>): Buffer {
  const bytes = Buffer.alloc(24);
  for (const half of [0, 1]) {
    const bits = Array.from({ length: 32 }, (_, bit) => (kept.has(half * 32 + bit) ? 2 ** bit : 0));
    const mask = bits.reduce((sum, bit) => sum + bit, 0);
    bytes.writeUInt32LE(mask, half * 12);
    bytes.writeUInt32LE(mask, half * 12 + 4);
  }
  return bytes;
}

/** A `sock_fprog`: the number of instructions of eight bytes, and their address. */
function describe(filter: Buffer): { readonly bytes: Buffer; readonly at: number; readonly to: Buffer } {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(filter.length / 8, 0);
  return { bytes, at: 8, to: filter };
}
