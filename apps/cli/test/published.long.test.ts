/** Executes the first pages of the guide with the packed packages, from a registry on loopback, outside of the checkout. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { kubernetesMissing } from "@capstan/kubernetes";
import { readGuide } from "./guide.ts";
import { realKubectl } from "./kubectl.ts";
import { checkout, walk } from "./walk.ts";

const skip = kubernetesMissing();
let registry = { origin: "", close: async (): Promise<void> => {} };

before(async () => {
  if (skip === false) registry = await startRegistry();
});
after(async () => registry.close());

for (const guide of ["quickstart", "first-walk", "deploying", "webhooks-and-versions"]) {
  test(`the guide ${guide} works with the published packages`, { skip, timeout: 900_000 }, async () => {
    const steps = readGuide(readFileSync(join(checkout, `docs/guide/${guide}.md`), "utf8"));
    assert.ok(steps.length > 0);
    const session = await walk(steps, { kubectl: await realKubectl(), registry: registry.origin });
    assert.ok(!session.includes("<checkout>"), session);
  });
}

/** `npm run release -- --serve` packs everything and prints the address. */
async function startRegistry(): Promise<typeof registry> {
  const flags = ["run", "--silent", "release", "--", "--serve"];
  const child = spawn("npm", flags, { cwd: checkout, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let seen = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (seen += data.toString()));
  const ended = once(child, "exit");
  const close = async (): Promise<void> => {
    if (child.exitCode === null) process.kill(-(child.pid ?? assert.fail()), "SIGTERM");
    await ended;
  };
  for (;;) {
    const origin = /^registry (\S+)$/mu.exec(seen)?.[1];
    if (origin !== undefined) return { origin, close };
    assert.equal(child.exitCode, null, seen);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
