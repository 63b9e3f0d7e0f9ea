/** Tools that need the declarations of a program that runs on import only inspect it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { tracePackages } from "../src/image/trace.ts";
import { capstan } from "./terminal.ts";

const program = fileURLToPath(new URL("programs/lenient.ts", import.meta.url));

/** Configures a cluster that only counts requests. */
async function countingCluster(t: TestContext): Promise<() => number> {
  let calls = 0;
  const server = createServer((socket) => {
    calls++;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = await mkdtemp(join(tmpdir(), "capstan-unguarded-"));
  const { port } = server.address() as AddressInfo;
  const file = join(folder, "kubeconfig");
  await writeFile(
    file,
    JSON.stringify({
      "current-context": "c",
      clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}` } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      users: [{ name: "u", user: {} }],
    }),
  );
  const { KUBECONFIG } = process.env;
  process.env["KUBECONFIG"] = file;
  t.after(async () => {
    if (KUBECONFIG === undefined) delete process.env["KUBECONFIG"];
    else process.env["KUBECONFIG"] = KUBECONFIG;
    server.close();
    await rm(folder, { recursive: true });
  });
  return () => calls;
}

test("its CRDs are found though it exports nothing, and no cluster gets a request", async (t) => {
  const calls = await countingCluster(t);
  const { code, out, err } = await capstan(["generate", "crds", "--entry", program], { cwd: dirname(program) });
  assert.equal(code, 0, err);
  assert.match(out, /name: boxes\.example\.com/);
  assert.equal(calls(), 0);
});

test("the contents of its image are found without running it", async (t) => {
  const calls = await countingCluster(t);
  const packages = await tracePackages(program, dirname(program));
  assert.ok(packages.some(({ name }) => name === "capstan"));
  assert.equal(calls(), 0);
});
