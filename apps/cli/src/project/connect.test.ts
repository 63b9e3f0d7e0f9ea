import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test, type TestContext } from "node:test";
import { claimSession } from "../dev/session.ts";
import type { Terminal } from "../terminal.ts";
import { connect } from "./connect.ts";

const kubeconfig = JSON.stringify({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "c",
  contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  clusters: [{ name: "c", cluster: { server: "http://127.0.0.1:1" } }],
  users: [{ name: "u", user: {} }],
});

/** The standard error of a command that connects in the folder of a running dev session. */
async function notesOf(t: TestContext, configured: (own: string) => string | undefined): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), "capstan-connect-"));
  t.after(() => rm(cwd, { recursive: true }));
  const own = join(cwd, "kubeconfig");
  await writeFile(own, kubeconfig);
  await using session = await claimSession(cwd);
  await session.write({ kubeconfig: own, host: "127.0.0.1:1" });
  let said = "";
  const terminal: Terminal = {
    cwd,
    env: { KUBECONFIG: configured(own) },
    isInteractive: false,
    isWatched: false,
    color: false,
    columns: 80,
    out: () => {},
    err: (text) => void (said += text),
    ask: () => Promise.resolve(""),
    input: () => Promise.resolve(""),
  };
  await connect({ kubeconfig: undefined, context: undefined }, terminal);
  return said;
}

test("with another KUBECONFIG, a note names the cluster of the running session", async (t) => {
  assert.match(await notesOf(t, () => "/elsewhere/config"), /^note: this is about the cluster of the `capstan dev`/u);
});

test("without ambiguity there is no note", async (t) => {
  assert.equal(await notesOf(t, () => undefined), "");
  assert.equal(await notesOf(t, (own) => own), "");
  assert.equal(await notesOf(t, (own) => `./${basename(own)}`), "");
});
