import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { defaultFilter, isKnown } from "./filter.ts";
import { filterProgram } from "./program.ts";

const skip = process.platform === "linux" && isKnown(process.arch) ? false : "it is a program for Linux";

test(
  "the program takes the filter on, becomes the command, and hands arguments and variables on",
  { skip },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "filter-"));
    const program = join(folder, "filter");
    try {
      const { arch } = process;
      assert.ok(isKnown(arch));
      const filter = defaultFilter(arch, []);
      assert.ok(filter);
      await writeFile(program, filterProgram(filter, arch), { mode: 0o755 });
      const script = 'grep ^Seccomp: /proc/self/status; echo "$VARIABLE $0 $1"; unshare -U true 2>&1; exit 7';
      const argv = ["--no-new-privs", program, "/bin/sh", "-c", script, "one", "two words"];
      const run = promisify(execFile);
      const env = { ...process.env, VARIABLE: "kept" };
      const ended = await run("setpriv", argv, { env }).catch((error: { code: number; stdout: string }) => error);
      assert.match(ended.stdout, /^Seccomp:\s+2\nkept one two words\n.*Operation not permitted/);
      assert.equal("code" in ended && ended.code, 7);
      const missing = run("setpriv", ["--no-new-privs", program, "/nowhere"]);
      await assert.rejects(missing, { code: 126 });
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test("the program is the same for another architecture, but for its instructions", () => {
  const filter = defaultFilter("arm64", ["CHOWN"]);
  assert.ok(filter);
  const program = filterProgram(filter, "arm64");
  assert.equal(program.readUInt16LE(18), 183, "the kernel's number of the architecture");
  assert.deepEqual(program.subarray(-filter.length), filter);
  // The instruction that loads the address of the description, and the description's own address of the filter.
  const [code, load] = [120, 120 + 8];
  const offset = ((program.readUInt32LE(load) >>> 5) & 0x7ffff) << 2;
  const description = load + offset;
  assert.equal(program.readUInt16LE(description), filter.length / 8);
  assert.equal(Number(program.readBigUInt64LE(description + 8)) - 0x40_0000, program.length - filter.length);
  assert.equal(Number(program.readBigUInt64LE(24)) - 0x40_0000, code);
});
