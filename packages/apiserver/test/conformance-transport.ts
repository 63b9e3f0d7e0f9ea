/** Plays the conformance cases through one transport of the API server and compares with recordings of kube-apiserver. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { TestContext } from "node:test";
import type { Case } from "../conformance/case.ts";
import { compareAll } from "../conformance/compare.ts";
import { differences } from "../conformance/differences.ts";
import { startHookServer } from "../conformance/hooks/server.ts";
import { httpsTarget, inProcessTarget, withHooks } from "../conformance/target.ts";
import { startApiServer } from "../src/index.ts";

const alice = "alice-token";
const options = {
  listen: { port: 0 },
  tokens: new Map([[alice, { name: "alice", uid: "alice-uid", groups: ["dev"] }]]),
};

export type Accepts = (name: string, one: Case) => boolean;

export async function playCases(
  t: TestContext,
  transport: "in process" | "over HTTP",
  accepts: Accepts,
): Promise<void> {
  await using server = await startApiServer(options);
  await using hooks = await startHookServer();
  const target =
    transport === "in process"
      ? inProcessTarget(server, alice)
      : httpsTarget(transport, server.url ?? "", { admin: server.token, alice });
  for await (const { name, difference } of compareAll(withHooks(target, hooks), accepts)) {
    await t.test(name, () => {
      if (name in differences) assert.notEqual(difference, undefined, "is listed as a difference and is none");
      else assert.equal(difference, undefined);
    });
  }
}

/** One case in eight, by the hash of its name, and each case that uses streaming or other media types. */
export const isSampled: Accepts = (name, { steps }) =>
  (createHash("sha256").update(name).digest()[0] ?? 0) % 8 === 0 || steps.some(isOfTheWire);

/** Watches, other media types, raw bodies, and streaming connections. */
function isOfTheWire({ events, accept, body, path }: Case["steps"][number]): boolean {
  return (
    events !== undefined ||
    accept !== undefined ||
    typeof body === "string" ||
    /[?&](?:watch|follow)=|\/(?:attach|exec|log|portforward|proxy)\b/.test(path)
  );
}
