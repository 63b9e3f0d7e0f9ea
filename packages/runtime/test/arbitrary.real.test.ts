/** The real API server agrees with the property test generators on valid and invalid objects. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { isApiError } from "@capstan/client";
import { kubernetesMissing } from "@capstan/kubernetes";
import { defineResource, s } from "@capstan/schema";
import { arbitraryOf, invalidArbitraryOf } from "@capstan/schema/properties";
import fc from "fast-check";
import type { Api } from "../src/api.ts";
import { systemClock } from "../src/clock.ts";
import { controller } from "../src/define.ts";
import { installCrds } from "../src/crds/crds.ts";
import { onEmbedded, onReal } from "./places.ts";

const Machine = defineResource({
  group: "arbitrary.example.com",
  version: "v1",
  kind: "Machine",
  spec: s.object({
    name: s.string().min(2).max(9),
    code: s.string().pattern("^[a-z]+-[0-9]{2}$"),
    cores: s.int32().min(1).max(64),
    share: s.number().min(0).max(1),
    zone: s.enum("a", "b").default("a"),
    since: s.timestamp().optional(),
    idle: s.duration().optional(),
    memory: s.quantity(),
    port: s.intOrString(),
    tags: s.array(s.string()).set().max(3),
    disks: s.array(s.object({ name: s.string(), size: s.int32() })).map("name"),
    labels: s.record(s.string()),
    boot: s.oneOf({ disk: s.string(), net: s.object({ host: s.string() }) }),
    low: s.int32().min(0).max(9),
    high: s.int32().min(0).max(9),
  }),
  rules: [s.rule("self.low <= self.high", "low is at most high")],
});

function tell(
  where: string,
  connect: (t: TestContext) => Promise<{ api: Api; namespace: string }>,
  skip: string | false,
): void {
  describe(`on ${where}`, { skip }, () => {
    test("valid objects are accepted and invalid ones are rejected", async (t) => {
      const { api, namespace } = await connect(t);
      await installCrds([controller(Machine, {}, () => undefined)], { api, clock: systemClock, manager: "test" });
      const create = (object: object) => api.create(Machine, object as never, { manager: "user", dryRun: true });
      const runs = { numRuns: 100, seed: 7 };
      await fc.assert(
        fc.asyncProperty(arbitraryOf(Machine, { namespace }), async (object) => void (await create(object))),
        runs,
      );
      await fc.assert(
        fc.asyncProperty(invalidArbitraryOf(Machine, { namespace }), async (object) => {
          await assert.rejects(create(object), (error) => isApiError(error, "Invalid", "BadRequest"));
        }),
        runs,
      );
    });
  });
}

tell("the embedded API server", onEmbedded, false);
tell("the real API server", onReal, kubernetesMissing());
