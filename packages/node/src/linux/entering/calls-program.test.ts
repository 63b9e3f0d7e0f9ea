import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { isKnown } from "../seccomp/filter.ts";
import { callsProgram, type Call } from "./calls-program.ts";

const { arch } = process;
const skip = process.platform === "linux" && isKnown(arch) ? false : "it is a program for Linux";
const invalid = 22;

test("an error ends the program unless it, or every error, is marked harmless", { skip }, async (t) => {
  assert.ok(isKnown(arch));
  const folder = await mkdtemp(join(tmpdir(), "calls-"));
  t.after(() => rm(folder, { recursive: true }));
  const program = join(folder, "program");
  const prctl = { x64: 157, arm64: 167 }[arch];
  const outcome = async (harmless: Call["harmless"]): Promise<string | number> => {
    // No such prctl option exists.
    const call: Call = { number: prctl, arguments: [0x7fff_ffff], ...(harmless === undefined ? {} : { harmless }) };
    await rm(program, { force: true });
    await writeFile(program, callsProgram([call, call], arch), { mode: 0o755 });
    const ended = promisify(execFile)(program, ["/bin/echo", "went on"]);
    return ended.then(({ stdout }) => stdout.trim()).catch(({ code }: { code: number }) => code);
  };
  assert.equal(await outcome(undefined), 126);
  assert.equal(await outcome(invalid - 1), 126);
  assert.equal(await outcome(invalid), "went on");
  assert.equal(await outcome("every error"), "went on");
});
