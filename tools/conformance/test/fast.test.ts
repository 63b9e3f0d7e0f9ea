import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { areConformanceProgramsBuilt } from "@capstan/kubernetes";

const isCi = process.env["CI"] === "true";
const canRun = process.platform === "linux" && process.getuid?.() === 0 && areConformanceProgramsBuilt();
const skip =
  isCi || canRun
    ? false
    : "the official tests need Linux and root, and must be built: npm run conformance -- fast --on cluster";

test(
  "a fixed set of official conformance tests passes on the embedded cluster",
  { skip, timeout: 600_000 },
  async () => {
    const folder = join(import.meta.dirname, "../../..");
    const words = [
      "--conditions=@capstan/source",
      "tools/conformance/src/main.ts",
      "fast",
      "--on",
      "cluster",
      "--processes",
      "4",
    ];
    const child = spawn(process.execPath, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
    const [code] = (await once(child, "close")) as [number | null];
    const failed = said.split("\n").filter((line) => /^(?:FAIL|SKIP|NONE)/.test(line));
    assert.deepEqual(failed, [], said.slice(-4000));
    assert.equal(code, 0, said.slice(-4000));
    assert.match(said, /^\d+ passed, 0 failed$/m);
  },
);
