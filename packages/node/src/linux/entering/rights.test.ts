import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { defaultFilter, isKnown } from "../seccomp/filter.ts";
import { enterProgram, type RightsInside } from "./rights.ts";

const run = promisify(execFile);
const skip = process.platform === "linux" && isKnown(process.arch) ? false : "it is a program for Linux";
/** A user without rights to drop. */
const nobody: RightsInside = {
  rights: "user",
  identity: { uid: 1234, gid: 1, groups: [] },
  capabilities: [],
  withheld: [],
};

async function programFor(t: TestContext, inside: RightsInside, isFiltered: boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "enter-"));
  t.after(() => rm(folder, { recursive: true }));
  const { arch } = process;
  assert.ok(isKnown(arch));
  const program = join(folder, "enter");
  const filter = isFiltered ? defaultFilter(arch, []) : undefined;
  await writeFile(program, enterProgram(inside, filter, arch), { mode: 0o755 });
  return program;
}

test("the program sets the filter and passes arguments and variables on", { skip }, async (t) => {
  const program = await programFor(t, nobody, true);
  const script =
    'grep -E "^(Seccomp|NoNewPrivs):" /proc/self/status; echo "$VARIABLE $0 $1"; unshare -U true 2>&1; exit 7';
  const env = { ...process.env, VARIABLE: "kept" };
  const ended = await run(program, ["/bin/sh", "-c", script, "one", "two words"], { env }).catch(
    (error: { code: number; stdout: string }) => error,
  );
  assert.match(ended.stdout, /^NoNewPrivs:\s+1\nSeccomp:\s+2\nkept one two words\n.*Operation not permitted/);
  assert.equal("code" in ended && ended.code, 7);
  await assert.rejects(run(program, ["/nowhere"]), { code: 126 });
});

const noKeys = existsSync("/proc/keys") ? false : "this kernel has no keys";

test("the command does not inherit the keys of the caller", { skip: skip || noKeys }, async (t) => {
  const program = await programFor(t, nobody, false);
  const rings = async (): Promise<readonly string[]> => {
    const { stdout } = await run(program, ["/bin/sh", "-c", "cat /proc/keys"]);
    return stdout
      .split("\n")
      .filter((line) => /keyring\s+_ses/.test(line))
      .map((line) => line.split(" ")[0] ?? "");
  };
  const [first, second] = [await rings(), await rings()];
  // The keyring of the first command may linger for a while, and other programs of the user have keyrings, too.
  const fresh = second.filter((keyring) => !first.includes(keyring));
  assert.ok(fresh.length > 0, "the second command has the keyrings of the first");
});

/** In an own user namespace a user has all capabilities, as the node has in its namespace. */
async function statusIn(program: string, mapping: readonly string[]): Promise<string> {
  const script = 'grep -E "^(Uid|Gid|Groups|Cap)" /proc/self/status';
  return (await run("unshare", ["--user", ...mapping, program, "/bin/sh", "-c", script])).stdout;
}

test("root keeps the capabilities of the container and none that is withheld", { skip }, async (t) => {
  const root = { ...nobody, identity: { uid: 0, gid: 0, groups: [0] } };
  const some = await programFor(
    t,
    { ...root, capabilities: ["CHOWN", "KILL", "SYS_ADMIN"], withheld: ["SYS_ADMIN"] },
    false,
  );
  const kept = await statusIn(some, ["--map-root-user"]);
  for (const name of ["Prm", "Eff", "Bnd"]) assert.match(kept, new RegExp(`Cap${name}:\\t0000000000000021`));
  assert.match(kept, /CapInh:\t0+\n/);
  assert.match(kept, /CapAmb:\t0+\n/);
  const all = await statusIn(await programFor(t, { ...root, capabilities: ["ALL"], withheld: ["SYS_PTRACE"] }, false), [
    "--map-root-user",
  ]);
  const mask = BigInt(`0x${/CapEff:\t(\w+)/.exec(all)?.[1]}`);
  assert.equal(mask & (1n << 19n), 0n, "it may not trace");
  assert.equal(mask & 1n, 1n);
});

test("a non-root user gets its ids and loses all capabilities", { skip: skip || notRoot() }, async (t) => {
  const other = { ...nobody, rights: "root" as const, identity: { uid: 1234, gid: 55, groups: [55, 66] } };
  const program = await programFor(t, other, false);
  await run("chmod", ["755", join(program, "..")]);
  const { stdout } = await run(program, ["/bin/sh", "-c", 'grep -E "^(Uid|Gid|Groups|Cap)" /proc/self/status']);
  assert.match(stdout, /^Uid:\t1234\t1234\t1234\t1234\nGid:\t55\t55\t55\t55\nGroups:\t55 66 *\n/);
  assert.match(stdout, /CapInh:\t0+\nCapPrm:\t0+\nCapEff:\t0+\nCapBnd:\t0+\nCapAmb:\t0+\n$/);
});

test("the program differs between architectures only in its instructions", () => {
  const filter = defaultFilter("arm64", ["CHOWN"]);
  assert.ok(filter);
  const program = enterProgram(nobody, filter, "arm64");
  assert.equal(program.readUInt16LE(18), 183, "the kernel's number of the architecture");
  const [code, table] = [120, 120 + 96];
  assert.equal(
    ((program.readUInt32LE(code) >>> 5) & 0x7ffff) << 2,
    table - code,
    "the first instruction finds the calls",
  );
  const rows = [0, 1, 2, 3].map((row) => Number(program.readBigUInt64LE(table + row * 48) & 0xffff_ffffn));
  assert.deepEqual(rows, [219, 167, 277, 0xffff_ffff], "keyctl, prctl, seccomp, the end");
  const description = Number(program.readBigUInt64LE(table + 2 * 48 + 24)) - 0x40_0000;
  assert.equal(program.readUInt16LE(description), filter.length / 8);
  const place = Number(program.readBigUInt64LE(description + 8)) - 0x40_0000;
  assert.deepEqual(program.subarray(place, place + filter.length), filter);
});

function notRoot(): string | false {
  return process.getuid?.() === 0 ? false : "only root can become somebody else";
}
