/** OpenAPI documents of aggregated servers, compared with recordings of kube-apiserver. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "../src/index.ts";
import answers from "./aggregation/recorded/answers.json" with { type: "json" };
import { tell } from "./aggregation/story.ts";
import { answerOf } from "./aggregation/things.ts";
import { ask } from "./ask.ts";

test(
  "OpenAPI of aggregated servers is merged, survives outages, goes with the server",
  { timeout: 300_000 },
  async (t) => {
    await using server = await startApiServer({
      async outgoing(call) {
        const { hostname, pathname } = new URL(call.url);
        const { status, body } = answerOf(hostname.split(".")[0] ?? "", pathname);
        const headers = { "content-type": "application/json" };
        return { status, headers, body: Buffer.from(JSON.stringify(body)) };
      },
    });
    const places = { host: "localhost", newPort: 443, oldPort: 443 };
    const found = await tell(
      (method, path, body) => ask(server, method, path, body),
      places,
      async (isSo) => {
        while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
      },
    );
    for (const [moment, parts] of Object.entries(answers)) {
      for (const [part, expected] of Object.entries(parts)) {
        await t.test(`${moment}: ${part}`, () => {
          const seen = (found[moment] as { [part: string]: unknown })[part];
          assert.deepEqual(seen, expected);
        });
      }
    }
  },
);
