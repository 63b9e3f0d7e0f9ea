/** Work that takes longer than a second is reported on a terminal. The slow work here waits for the report. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { capstan, type Ran } from "./terminal.ts";

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-progress-"));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

/** Runs a command, and calls back at its first progress message. */
async function watch(words: readonly string[], cwd: string, onProgress: () => Promise<void>): Promise<Ran> {
  let first: Promise<void> | undefined;
  let said = "";
  const err = (text: string): void => {
    said += text;
    if (text.includes(" … ")) first ??= onProgress();
  };
  const ran = await capstan(words, { cwd, isWatched: true, err });
  await first;
  return { ...ran, err: said };
}

const slowProgram = `import { existsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
while (!existsSync(new URL("go", import.meta.url))) await wait(20);
`;

for (const words of [
  ["generate", "crds"],
  ["generate", "bundle"],
  ["image", "build", "slow:v1"],
]) {
  test(`${words.join(" ")} says that it loads a slow program`, async (t) => {
    const cwd = await makeFolder(t);
    await writeFile(join(cwd, "main.mjs"), slowProgram);
    const ran = await watch([...words, "--entry", "main.mjs"], cwd, () => writeFile(join(cwd, "go"), ""));
    assert.match(ran.err, new RegExp(`^(capstan ${words.slice(0, 2).join(" ")}|building slow:v1) … \\d+ s\\n`));
  });
}

test("a pull from a slow registry is named", async (t) => {
  const answer = Promise.withResolvers<void>();
  const server = createServer((_request, response) => void answer.promise.then(() => response.writeHead(404).end()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => (server.close(), server.closeAllConnections()));
  const image = `127.0.0.1:${(server.address() as AddressInfo).port}/slow-bundle:v1`;
  const ran = await watch(["bundle", "validate", image], await makeFolder(t), async () => answer.resolve());
  assert.equal(ran.code, 8, ran.err);
  assert.match(ran.err, new RegExp(`^pulling ${image} … \\d+ s\\n`));
});
