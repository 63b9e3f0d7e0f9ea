import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { callsProgram, type Call } from "../src/linux/entering/calls-program.ts";
import { isKnown } from "../src/linux/seccomp/filter.ts";
import { skip as skipPods } from "./real-world.ts";

const { arch } = process;
const skip = skipPods || (existsSync("/proc/keys") && isKnown(arch) ? false : "this kernel has no keys");
const [joinRing, search] = [1, 10];
/** The session keyring: a negative number as the kernel interprets it. */
const session = 2 ** 32 - 3;
const text = (value: string): Buffer => Buffer.from(`${value}\0`);

test("processes on a node have none of the keys of the user that started it", { skip }, async (t) => {
  assert.ok(isKnown(arch));
  const keyctl = { x64: 250, arm64: 219 }[arch];
  const folder = await mkdtemp(join(tmpdir(), "keys-"));
  t.after(() => rm(folder, { recursive: true }));
  const write = async (name: string, call: Call): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, callsProgram([call], arch), { mode: 0o755 });
    return path;
  };
  const ring = text("ring-of-the-one-who-starts");
  const begin = await write("begin", { number: keyctl, arguments: [joinRing, ring] });
  const find = await write("find", { number: keyctl, arguments: [search, session, text("keyring"), ring] });
  const shim = new URL("./as-shim.ts", import.meta.url).pathname;
  const node = [process.execPath, "--conditions=@capstan/source", shim, folder, find];
  const { stdout } = await promisify(execFile)(begin, node);
  assert.deepEqual(JSON.parse(stdout), { outside: "found", inside: "not found" });
});
