import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { LogFile, usualLimits } from "../linux/shim/log-file.ts";
import { LogTail } from "./log-tail.ts";

describe("a log that is read while it is written", () => {
  let folder = "";
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "log-"))));
  afterEach(() => rm(folder, { recursive: true }));
  const linesOf = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, index) => `line ${from + index} é\n`).join("");

  test("loses nothing across any number of rotations between two reads", async () => {
    const path = join(folder, "0.log");
    const log = new LogFile(path, { ...usualLimits, bytes: 100 });
    await using tail = new LogTail(path);
    let read = await tail.read();
    // A file takes about seven lines: the steps cause no rotation up to almost as many as there are files.
    const steps = [3, 8, 9, 30, 35, 36, 60, 60, 61, 90, 97];
    for (const [index, step] of steps.entries()) {
      for (let line = steps[index - 1] ?? 0; line < step; line++) await log.write(linesOf(line, line + 1));
      read += await tail.read();
      assert.equal(read, linesOf(0, step));
    }
    await log.close();
    assert.equal((await readdir(folder)).length, usualLimits.files);
  });

  test("loses nothing when reads and writes run concurrently", async () => {
    const path = join(folder, "0.log");
    const log = new LogFile(path, { ...usualLimits, bytes: 2000 });
    await using tail = new LogTail(path);
    let read = "";
    for (let line = 0; line < 1000; line += 10) {
      const [, seen] = await Promise.all([log.write(linesOf(line, line + 10)), tail.read()]);
      read += seen;
    }
    await log.close();
    read += await tail.read();
    assert.equal(read, linesOf(0, 1000));
  });

  test("continues with the remaining files after the oldest lines were dropped", async () => {
    const path = join(folder, "0.log");
    const log = new LogFile(path, { ...usualLimits, bytes: 100 });
    await using tail = new LogTail(path);
    await log.write(linesOf(0, 1));
    assert.equal(await tail.read(), linesOf(0, 1));
    for (let line = 1; line < 100; line++) await log.write(linesOf(line, line + 1));
    await log.close();
    const left = await tail.read();
    assert.ok(left.endsWith(linesOf(80, 100)), left);
  });

  test("is empty while the file is missing, and a failed write loses only its line", async () => {
    await using tail = new LogTail(join(folder, "none.log"));
    assert.equal(await tail.read(), "");
    const log = new LogFile(join(folder, "missing/0.log"));
    await log.write("lost\n");
    await log.close();
  });
});
