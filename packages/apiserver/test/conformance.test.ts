/** The conformance cases against what a real kube-apiserver answered, in process and over HTTP. */
import assert from "node:assert/strict";
import { test } from "node:test";
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

for (const door of ["in process", "over HTTP"] as const) {
  test(`answers ${door} as kube-apiserver does`, async (t) => {
    await using server = await startApiServer(options);
    await using hooks = await startHookServer();
    const target =
      door === "in process"
        ? inProcessTarget(server, alice)
        : httpsTarget(door, server.url ?? "", { admin: server.token, alice });
    for await (const { name, difference } of compareAll(withHooks(target, hooks), () => true)) {
      await t.test(name, () => {
        if (name in differences) assert.notEqual(difference, undefined, "is listed as a difference and is none");
        else assert.equal(difference, undefined);
      });
    }
  });
}
