/** What was acknowledged survives: a server with a data folder is killed in the middle of writes, again and again. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";

const program = `
  import { startApiServer } from ${JSON.stringify(join(import.meta.dirname, "..", "src", "index.ts"))};
  const server = await startApiServer({ data: process.argv[1], listen: { port: 0, tls: false }, authorization: "always-allow" });
  process.stdout.write(server.url + "\\n");
`;

interface Running {
  readonly url: string;
  readonly child: ChildProcess;
}

async function start(data: string): Promise<Running> {
  const args = [
    "--conditions=@capstan/source",
    "--disable-warning=ExperimentalWarning",
    "--input-type=module",
    "-e",
    program,
    data,
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const died = once(child, "exit").then(() => assert.fail("the server did not start"));
  const [chunk] = (await Promise.race([once(child.stdout ?? child, "data"), died])) as [Buffer];
  died.catch(() => {});
  return { url: chunk.toString().trim(), child };
}

function send(url: string, method: string, path: string, body?: unknown): Promise<number> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(path, url),
      { method, headers: { "content-type": "application/json" } },
      (answer) => {
        answer.resume();
        answer.once("end", () => resolve(answer.statusCode ?? 0));
        answer.once("error", reject);
      },
    );
    outgoing.once("error", reject);
    outgoing.end(text);
  });
}

const maps = "/api/v1/namespaces/default/configmaps";

/** Creates until the connection breaks; answers with the names that were acknowledged. */
async function createUntilDeath(url: string, round: number): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let index = 0; ; index++) {
    const name = `r${round}-${index}`;
    try {
      const status = await send(url, "POST", maps, { metadata: { name } });
      assert.equal(status, 201);
      acknowledged.push(name);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return acknowledged;
    }
  }
}

/** Resolves when an object can be read. */
async function untilThere(url: string, path: string): Promise<void> {
  for (;;) {
    if ((await send(url, "GET", path)) === 200) return;
    await setTimeout(10);
  }
}

test("nothing acknowledged is lost by kill -9", async () => {
  const data = await mkdtemp(join(tmpdir(), "capstan-crash-"));
  const acknowledged: string[] = [];
  try {
    for (let round = 0; round < 4; round++) {
      const { url, child } = await start(data);
      for (const name of acknowledged) assert.equal(await send(url, "GET", `${maps}/${name}`), 200, name);
      const writers = [0, 1, 2, 3].map((writer) => createUntilDeath(url, round * 10 + writer));
      await Promise.race([untilThere(url, `${maps}/r${round * 10}-20`), ...writers]);
      child.kill("SIGKILL");
      acknowledged.push(...(await Promise.all(writers)).flat());
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    assert.ok(acknowledged.length > 80, `only ${acknowledged.length} writes were acknowledged`);
  } finally {
    await rm(data, { recursive: true });
  }
});
