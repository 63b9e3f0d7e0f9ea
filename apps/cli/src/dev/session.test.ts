import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { markOf } from "../embedded/record.ts";
import { claimSession, findSession, sessionFolder } from "./session.ts";

const session = { kubeconfig: "/k", context: "kind", host: "127.0.0.1:1" };

async function project(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "session-"));
  t.after(() => rm(root, { recursive: true }));
  return root;
}

test("a second session in a folder fails and leaves the first one's record alone", async (t) => {
  const root = await project(t);
  {
    await using first = await claimSession(root);
    assert.equal(await findSession(root), undefined, "nothing runs yet");
    await first.write(session);
    await assert.rejects(claimSession(root), { name: "CliError", code: "Project", message: /runs here already/ });
    assert.deepEqual(await findSession(join(root, "src")), session);
  }
  assert.deepEqual(await readdir(root), [], "not even its folder is left");
  await using next = await claimSession(root);
  await next.write(session);
  assert.deepEqual(await findSession(root), session);
});

test("of several sessions that start at once, one runs", async (t) => {
  const root = await project(t);
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => claimSession(root)));
  assert.equal(tries.filter(({ status }) => status === "fulfilled").length, 1);
});

for (const [whose, record] of [
  ["of a process that ended", JSON.stringify({ process: { pid: 2 ** 22 - 3, started: "1" }, session })],
  [
    "of one whose number was given away",
    JSON.stringify({ process: { ...markOf(process.pid), started: "1" }, session }),
  ],
  ["that is spoilt", "{"],
] as const) {
  test(`a record ${whose} does not prevent a session`, async (t) => {
    const root = await project(t);
    await mkdir(sessionFolder(root));
    await writeFile(join(sessionFolder(root), "dev.json"), record);
    assert.equal(await findSession(root), undefined);
    await using next = await claimSession(root);
    await next.write(session);
    assert.deepEqual(await findSession(root), session);
  });
}
